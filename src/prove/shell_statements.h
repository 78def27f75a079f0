#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace accelport {

enum class StatementKind : std::uint8_t {
  bare,         // A=1
  prefix,       // A=1 program
  declaration,  // export A=1
  environment,  // env A=1 program
  removal,      // unset A
};

/// A statement of a shell script that sets or removes variables.
struct ShellStatement {
  StatementKind kind = StatementKind::bare;
  Span head;                   // "export", "declare -x" …; empty where there is none
  std::vector<Span> items;     // words NAME=value or, where a head stands in front, NAME
  std::uint32_t line_end = 0;  // of the physical line in which its last word ends
  bool inside = false;         // of a substitution
  bool whole_line = false;     // nothing else stands in its lines, and no operator leads to it
};

/// The statements of a script by position, those of substitutions `$(…)` among them. Text in quotes, here-documents,
/// arrays and the patterns of `case` hold none.
std::vector<ShellStatement> shell_statements(std::string_view text);

}  // namespace accelport
