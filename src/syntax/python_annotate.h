#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "syntax/python_lexer.h"
#include "syntax/site.h"

namespace accelport {

/// What kind of bracket (or none) a token stands in.
enum class PyFrame : std::uint8_t { top, call, parameters, bases, group, subscript, list, brace, field, target };

/// What one pass over a logical line finds out about each of its tokens. Token numbers are those of PyLexed.
struct PyMark {
  enum Flag : std::uint16_t {
    lambda_parameter = 1,
    lambda_body = 2,
    for_target = 4,     // between `for` and `in`
    comprehension = 8,  // behind the `for` of a comprehension
    annotation = 16,
    for_in = 32,       // the `in` of a loop or comprehension
    has_default = 64,  // behind the "=" of a parameter
    colon = 128,
    returns = 256,  // behind the "->" of a def
  };

  std::uint32_t opener;   // bracket that encloses the token, or kNoToken
  std::uint32_t mate;     // of a bracket or f-string: the other end; of "=" and "**" in a call: the one before
  std::uint32_t primary;  // where the expression of names, calls and subscripts that ends here begins
  std::uint32_t
      first;  // of a name: its dotted chain; of a string: its implicit concatenation; of a field: its f-string
  std::uint32_t last;
  std::uint32_t statement;  // number for PyAnnotator::statement
  std::uint32_t region;     // number for PyAnnotator::region
  std::uint32_t item;       // first token of the argument, parameter, element or entry
  std::uint32_t op;         // number of the last operator in front, in the same region, or kNoToken
  std::uint32_t commas;     // in front, in the same bracket; of a closing bracket: items inside
  std::uint16_t flags;
  PyFrame frame;
};

/// A simple statement, or a compound statement's header.
struct PyStatement {
  std::uint32_t first = 0;
  std::uint32_t assign = kNoToken;      // last "=" (or "+=" …) outside of brackets
  std::uint32_t annotation = kNoToken;  // ":" of an annotated assignment
  PyWord word = PyWord::none;           // keyword it begins with; match_ and case_ only where they are keywords
  std::uint32_t line_first = 0;         // tokens [line_first, line_last) are its logical line
  std::uint32_t line_last = 0;
};

/// A stretch of tokens that is one whole expression: between brackets, commas, colons, "=" and statement keywords.
struct PyRegion {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;              // behind its last token
  std::uint32_t first_op = kNoToken;  // numbers for PyAnnotator::op
  std::uint32_t last_op = kNoToken;
};

/// A boolean or conditional operator or a comparison, in the list of its region.
struct PyOperator {
  std::uint32_t token = 0;
  std::uint32_t before = kNoToken;  // number of the one in front, in the same region
  std::uint32_t after = kNoToken;
  PyWord word = PyWord::none;  // if_, else_, and_, or_; none for a comparison
};

/// The place of an expression in its statement.
struct PyPlace {
  Context context = Context::other;
  int argument = -1;
  std::uint32_t callee = kNoToken;  // last token of the function or subscripted expression
  std::uint32_t key = kNoToken;     // last token of the keyword, parameter, target or dictionary key
  std::uint32_t other = kNoToken;   // compared: last token of the left or first token of the right side
  std::uint32_t begin = 0;          // the expression itself, parentheses and conditional included
  std::uint32_t end = 0;            // its last token
};

/// Finds the place of names and strings in the lines that are asked for: one forward pass a line with a stack of
/// brackets, afterwards each answer takes constant time.
class PyAnnotator {
 public:
  /// Turns to another file; `lexed` must stay until the next call. The memory is used again.
  void start(const PyLexed& lexed);

  /// The line that holds `token`.
  std::uint32_t line_of(std::uint32_t token) const;
  /// Annotates a line; the functions below are for tokens of annotated lines only.
  void need_line(std::uint32_t line);
  void need(std::uint32_t token) { need_line(line_of(token)); }

  const PyMark& mark(std::uint32_t token) const { return marks_[token]; }
  PyStatement statement(std::uint32_t token) const { return statements_[marks_[token].statement]; }
  PyRegion region(std::uint32_t token) const { return regions_[marks_[token].region]; }
  PyOperator op(std::uint32_t number) const { return operators_[number]; }

  /// The keyword at `token`, none if it is no keyword or stands behind a dot.
  PyWord keyword(std::uint32_t token) const;
  /// The chain or string at `token`; a chain that is called stands where its call stands, unless the call's result is
  /// used further at once (then the context is `called`).
  PyPlace place(std::uint32_t token) const;
  /// The expression of the tokens [begin, end].
  PyPlace place(std::uint32_t begin, std::uint32_t end) const;
  /// Number of positional arguments of the call that `opener` begins.
  std::uint32_t positional(std::uint32_t opener) const;
  /// The last "=" or "**" of a call's own keyword arguments; follow PyMark::mate to those in front.
  std::uint32_t last_keyword(std::uint32_t opener) const;
  /// False for kNoToken too.
  bool is_plain_name(std::uint32_t token) const;
  bool ends_primary(std::uint32_t token) const;
  const PyLexed& lexed() const { return *lexed_; }

 private:
  class Pass;

  PyPlace find_place(std::uint32_t begin, std::uint32_t end) const;
  int precedence(std::uint32_t token) const;
  bool is_unary_star(std::uint32_t token) const;
  bool adjacent_operator(PyPlace& place, bool& climb) const;
  void place_in_bracket(PyPlace& place) const;
  void place_in_call(PyPlace& place) const;
  void place_in_statement(PyPlace& place) const;
  void place_parameter(PyPlace& place, bool has_default) const;
  bool place_by_keyword(PyPlace& place) const;
  bool place_by_neighbours(PyPlace& place) const;
  void place_compared(PyPlace& place, bool on_left) const;
  bool is_assignment(std::uint32_t token) const;

  const PyLexed* lexed_ = nullptr;
  std::unique_ptr<PyMark[]> marks_;
  std::size_t capacity_ = 0;
  std::vector<std::uint8_t> done_;  // by line
  std::vector<PyStatement> statements_;
  std::vector<PyRegion> regions_;
  std::vector<PyOperator> operators_;
};

}  // namespace accelport
