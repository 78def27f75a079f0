#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace accelport {

/// Words with fixed numbers in every file's name table. The keywords come first: a name is a keyword if its number is
/// at most `PyWord::yield_`.
enum class PyWord : std::uint32_t {
  none,
  and_,
  as_,
  assert_,
  async_,
  await_,
  break_,
  class_,
  continue_,
  def_,
  del_,
  elif_,
  else_,
  except_,
  finally_,
  for_,
  from_,
  global_,
  if_,
  import_,
  in_,
  is_,
  lambda_,
  nonlocal_,
  not_,
  or_,
  pass_,
  raise_,
  return_,
  try_,
  while_,
  with_,
  yield_,
  // not keywords
  case_,
  match_,
  type_,
  print_,
  exec_,
  self_,
  cls_,
  none_value,
  true_value,
  false_value,
  exit_,
  quit_,
  skip_,
  skip_test_,
  exit_now_,
  pytestmark_,
  torch_,
  count
};

enum class PyKind : std::uint8_t {
  name,
  number,
  string,
  fstring_begin,
  fstring_text,
  fstring_end,  // f"…" and t"…"
  field_open,
  field_close,  // the braces of an interpolation
  op,
  newline,  // end of a logical line
};

inline constexpr std::uint32_t kNoToken = ~0u;

struct PyToken {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t name = 0;         // of a name: its number in the table
  std::uint32_t next = kNoToken;  // of a name: the next token with the same name
  PyKind kind = PyKind::newline;
  char op = 0;   // of an operator: its first character
  char op2 = 0;  // … its second, 'E' for three-character assignments ("**=")

  PyWord word() const { return kind == PyKind::name ? static_cast<PyWord>(name) : PyWord::none; }
};

/// One logical line: what stands between two newlines outside of brackets and strings.
struct PyLine {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t indent = 0;
  std::uint32_t first = 0;  // tokens [first, last); tokens[last] is the newline
  std::uint32_t last = 0;
  bool header = false;   // ends with ":", so an indented block follows
  bool imports = false;  // has the keyword `import`
};

/// Numbers for the names of one file, with the occurrences of each as a list through PyToken::next.
class PyNameTable {
 public:
  PyNameTable();

  void clear();
  /// The number of a name; eight bytes must be readable behind its end.
  std::uint32_t intern(const char* name, std::uint32_t size);
  /// The number of a name that occurs in the file, or 0.
  std::uint32_t find(std::string_view name) const;

  std::uint32_t size() const { return static_cast<std::uint32_t>(names_.size()); }
  std::string_view text(std::uint32_t name) const { return names_[name].text; }
  std::uint32_t first(std::uint32_t name) const { return names_[name].first; }

  /// Appends `token` to the occurrences of `name`; gives the one before it, or kNoToken.
  std::uint32_t append(std::uint32_t name, std::uint32_t token);

 private:
  struct Name {
    std::string_view text;
    std::uint64_t hash = 0;
    std::uint64_t head = 0;  // its first eight bytes
    std::uint32_t first = kNoToken;
    std::uint32_t last = kNoToken;
  };
  struct Slot {
    std::uint64_t head = 0;
    std::uint32_t size = 0;
    std::uint32_t name = 0;
    std::uint32_t epoch = 0;
  };

  void grow();
  std::uint32_t look_up(const char* name, std::uint32_t size, std::uint64_t hash, std::uint64_t head) const;
  void place(std::uint32_t name, std::uint32_t epoch);
  std::uint32_t add(std::string_view text, std::uint64_t hash, std::uint64_t head, std::uint32_t epoch);

  std::vector<Slot> slots_;
  std::vector<Name> names_;
  std::uint32_t epoch_ = 1;
};

/// A Python text as tokens. Comments stand apart, so that neighbours in `tokens` are neighbours in the grammar.
struct PyLexed {
  std::string_view text;
  std::vector<PyToken> tokens;
  std::vector<PyLine> lines;
  std::vector<Span> comments;
  PyNameTable names;
  std::uint32_t damage = 0;  // places where the text is not well formed

  /// Nothing for a number that is no token's; so places that damaged text leaves empty need no care.
  std::string_view text_of(std::uint32_t token) const {
    if (token >= tokens.size()) return {};
    return text.substr(tokens[token].begin, tokens[token].end - tokens[token].begin);
  }
  bool is_op(std::uint32_t token, char op, char op2 = 0) const {
    return token < tokens.size() && tokens[token].kind == PyKind::op && tokens[token].op == op &&
           tokens[token].op2 == op2;
  }
};

/// Splits `text` (Python 2 or 3; 64 readable bytes follow it) into tokens and logical lines, in one pass.
void lex_python(std::string_view text, PyLexed& lexed);

}  // namespace accelport
