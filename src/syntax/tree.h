#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "syntax/site.h"

namespace accelport {

/// A full parse of a Python text, made apart from the lexer: the tests' oracle for what the readers say.
class PythonTree {
 public:
  explicit PythonTree(std::string_view text);
  ~PythonTree();
  PythonTree(const PythonTree&) = delete;
  PythonTree& operator=(const PythonTree&) = delete;

  /// True if the grammar does not accept the text.
  bool damaged() const;
  /// Where the first thing begins that the grammar does not accept; the text's beginning if there is none.
  std::uint32_t first_damage() const;

  /// The chain, string, comment or docstring at an offset and its place. `kind` is `text` for anything else.
  struct Place {
    SiteKind kind = SiteKind::text;
    Context context = Context::none;
    Span span;
    int argument = -1;
  };
  Place at(std::uint32_t offset) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace accelport
