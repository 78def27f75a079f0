#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "edit/file_port.h"

namespace accelport {

/// A variable's occurrence in a shell text.
struct ShellOccurrence {
  Span span;
  std::string_view name;  // of the variable
};

/// Text that goes in at one place.
struct ShellEdit {
  std::uint32_t at = 0;
  std::string text;
  std::size_t owner = 0;  // number of the occurrence that it settles
};

struct ShellPort {
  std::vector<ShellEdit> edits;   // by place
  std::vector<std::string> left;  // by occurrence: why it stays; "" if an edit settles it or nothing is left to do
};

/// Sets, in each statement that sets one of the variables, the platforms' own variables beside it from the same value;
/// the old one stays. `settings` are files of lines NAME=value that no shell reads (.env).
ShellPort port_shell(std::string_view text, bool settings, const std::vector<ShellOccurrence>& occurrences,
                     const std::vector<const Platform*>& platforms);

/// Whether `port_shell_file` is for this occurrence.
bool is_shell_rewrite(const AuditedFile& file, const Occurrence& occurrence);

/// Rewrites the shell file of the draft, whose wanted occurrences have no function. Reads the file.
FilePort port_shell_file(const std::string& root, const Files& files, const std::vector<const Platform*>& platforms,
                         FileDraft& draft);

}  // namespace accelport
