#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace accelport {

/// What a simple command does with variables.
enum class ShellForm : std::uint8_t {
  other,
  bare,         // A=1, and nothing else
  prefix,       // A=1 program
  declaration,  // export A=1, declare -x A=1 …
  environment,  // env A=1 program
  removal,      // unset A
};

/// A command between two separators. Spans are in the text; reserved words in front ("then", "!") belong to no item.
struct ShellCommand {
  ShellForm form = ShellForm::other;
  std::vector<Span> items;       // assignments or, in declarations and removals, also bare names
  Span head;                     // of a declaration or removal: its first word with the options
  std::uint32_t line_end = 0;    // where the physical line behind its last word ends
  std::uint32_t line_begin = 0;  // … and where that of its first word begins
  int depth = 0;                 // of the substitutions that it stands in
  bool alone = false;            // it begins and ends its line, and no operator joins it with another command
};

/// The commands of a shell text, those in `$(…)` included, by position. What stands in quotes, in here-documents and
/// behind "(" of an array belongs to no command. Patterns of `case` are none either.
std::vector<ShellCommand> shell_commands(std::string_view text);

}  // namespace accelport
