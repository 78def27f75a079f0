#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/python_annotate.h"
#include "syntax/python_blocks.h"
#include "syntax/python_lexer.h"

namespace accelport {

/// One name of an import statement, as written: relative paths keep their dots.
struct ImportedName {
  std::uint32_t first = 0;  // tokens [first, last]; the alias is among them
  std::uint32_t last = 0;
  std::uint32_t bound = 0;  // token of the name that it binds
  std::string path;         // of what is taken: "torch.cuda.amp.autocast"
  bool star = false;
  bool aliased = false;
};

struct ImportStatement {
  std::uint32_t first = 0;  // tokens [first, last]
  std::uint32_t last = 0;
  bool from = false;
  std::string module;  // of a from-import
  std::vector<ImportedName> names;
};

/// The arguments of a call: tokens [begin, end) of the value; the keyword stands in front of it.
struct CallArgument {
  std::uint32_t first = 0;  // keyword or star included
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string_view keyword;
  bool star = false;
};

/// A Python text and all that is read off it for those who edit it. Not to be moved: the parts point at each other.
struct PythonSource {
  /// `text` is followed by kTextPadding readable bytes.
  explicit PythonSource(std::string_view text);
  PythonSource(const PythonSource&) = delete;
  PythonSource& operator=(const PythonSource&) = delete;

  std::string_view text;
  PyLexed lexed;
  PyAnnotator annotator;
  PyBlocks blocks;
  std::vector<std::uint32_t> parent;  // by line: the header that it stands under, or kNone
  std::vector<ImportStatement> imports;
  std::string newline;   // of its first line
  bool python2 = false;  // it has statements that only Python 2 has

  /// The token that begins at `offset`, or kNoToken.
  std::uint32_t token_at(std::uint32_t offset) const;
  const PyMark& mark(std::uint32_t token) const { return annotator.mark(token); }
  std::string_view text_of(std::uint32_t token) const { return lexed.text_of(token); }
  std::string_view text_of(std::uint32_t first, std::uint32_t last) const;
  const PyToken& token(std::uint32_t i) const { return lexed.tokens[i]; }
  /// A name that is no attribute and no keyword of a call.
  bool is_variable(std::uint32_t token) const;
  /// The statement that binds by import at `token`, or null.
  const ImportStatement* import_at(std::uint32_t token) const;
  /// The call's arguments; false for damaged text.
  bool arguments(std::uint32_t open, std::vector<CallArgument>& out) const;
  /// The bytes in front of the first token of the physical line, if they are blank and that token is `token`.
  bool begins_line(std::uint32_t token, std::string_view& indent) const;
  /// Nothing but a comment follows `token` in its physical line; `end` is where that line's end begins.
  bool ends_line(std::uint32_t token, std::uint32_t& end) const;
  /// Where the physical line behind the one that holds `offset` begins.
  std::uint32_t next_line(std::uint32_t offset) const;
  bool stands_under(std::uint32_t token, PyWord header) const;
  /// Whether the lines that `token` stands under have this text somewhere in a header.
  bool stands_under(std::uint32_t token, std::string_view word) const;
  bool at_module_level(std::uint32_t token) const;
  /// Whether `__all__` names it.
  bool is_exported(std::string_view name) const;

 private:
  void read_lines();
  void read_imports();
  void read_import(std::uint32_t first, std::uint32_t end);
  void read_from(std::uint32_t first, std::uint32_t end);
  std::uint32_t read_path(std::uint32_t i, std::uint32_t end, std::string& path) const;
  std::uint32_t read_alias(std::uint32_t i, std::uint32_t end, ImportedName& name) const;
};

}  // namespace accelport
