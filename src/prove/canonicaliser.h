#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "prove/canonical.h"

namespace accelport {

/// Marks that no source text can hold, since a text's own control characters are escaped.
inline constexpr char kTorchMark = '\x02';   // before the root of a chain that is torch's
inline constexpr char kStringMark = '\x03';  // before a string's value; then 's' or 'b'
inline constexpr char kHoleBegin = '\x04';   // around what an f-string interpolates
inline constexpr char kHoleEnd = '\x05';
inline constexpr char kEscape = '\x06';         // before a control character of the text, raised by 0x40
inline constexpr char kFieldText = '\x07';      // before the text of a format specification
inline constexpr char kVerbatim = '\x08';       // before source text that is taken as it stands
inline constexpr char kStatementMark = '\x0e';  // before what is no plain run of tokens
inline constexpr char kJoin = '\x1f';           // between tokens

/// `text` with its control characters escaped.
std::string escaped_value(std::string_view text);

class Canonicaliser {
 public:
  Canonicaliser(const PythonText& source, Bindings& bindings, const HelperTable& table,
                const std::set<std::string>& elided, const std::set<std::uint32_t>& idle)
      : source_(source),
        lexed_(source.lexed),
        annotator_(source.annotator),
        bindings_(bindings),
        table_(table),
        elided_(elided),
        idle_(idle) {}

  Canonical run();

 private:
  using Tokens = std::vector<std::string>;
  struct Argument {
    std::string name;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool star = false;
  };

  // statements
  void line(std::uint32_t number);
  void statement(std::uint32_t begin, std::uint32_t end, std::uint32_t depth);
  void imports(std::uint32_t begin, std::uint32_t end, std::uint32_t depth);
  bool assignment(std::uint32_t begin, std::uint32_t end, std::uint32_t depth);
  void add(std::string text, std::uint32_t begin, std::uint32_t end, std::uint32_t depth, bool movable = false);
  bool import_may_fail(std::uint32_t token, std::string_view path) const;
  void order_bindings();

  // expressions: each reads tokens from `i`, appends to `out` and gives the token behind, or nothing if it is no such
  // form
  void emit(std::uint32_t begin, std::uint32_t end, Tokens& out);
  std::uint32_t emit_name(std::uint32_t i, Tokens& out);
  std::uint32_t emit_string(std::uint32_t i, std::uint32_t end, Tokens& out);
  std::uint32_t emit_fstring(std::uint32_t i, std::string& value);
  std::uint32_t emit_hole(std::uint32_t open, std::string& value);
  std::optional<std::uint32_t> emit_sum(std::uint32_t open, Tokens& out);
  std::optional<std::uint32_t> emit_move(std::uint32_t dot, Tokens& out);
  std::optional<std::uint32_t> emit_helper(std::uint32_t i, Tokens& out);
  std::optional<std::uint32_t> emit_predicate(std::uint32_t i, const HelperFunction& function, Tokens& out);
  std::optional<std::uint32_t> emit_identity(std::uint32_t i, Tokens& out);
  std::optional<std::uint32_t> emit_defaulted(const std::string& path, std::uint32_t open, Tokens& out);
  std::optional<std::uint32_t> emit_neutral(const std::string& path, std::uint32_t i, std::uint32_t behind,
                                            Tokens& out);
  bool is_default(const Argument& argument, const HelperFunction& function) const;
  std::uint32_t emit_path(std::string path, std::uint32_t behind, Tokens& out);
  std::optional<std::uint32_t> emit_call(const std::string& path, std::uint32_t open, Tokens& out);
  void emit_arguments(const std::vector<Argument>& arguments, std::string_view first, Tokens& out);

  std::optional<std::vector<Argument>> arguments(std::uint32_t open) const;
  std::optional<std::string> literal(std::uint32_t i, std::uint32_t& behind) const;
  bool has_call(std::uint32_t i) const { return lexed_.is_op(i, '(') && lexed_.is_op(i + 1, ')'); }
  bool is_primary(std::uint32_t begin, std::uint32_t end) const;
  bool may_substitute(std::uint32_t i) const;
  bool is_target(std::uint32_t i, std::uint32_t behind) const;
  void note_use(std::uint32_t i);
  void check_script(std::uint32_t i);
  void problem(std::uint32_t token, std::string what);
  std::string spelling(std::string path) const;
  std::string raw(std::uint32_t begin, std::uint32_t end) const;

  const PythonText& source_;
  const PyLexed& lexed_;
  const PyAnnotator& annotator_;
  Bindings& bindings_;
  const HelperTable& table_;
  const std::set<std::string>& elided_;
  const std::set<std::uint32_t>& idle_;  // lines
  Canonical out_;
  int nesting_ = 0;
};

}  // namespace accelport
