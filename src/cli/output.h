#pragma once

#include <string>
#include <string_view>

#include "base/files.h"
#include "cli/options.h"
#include "report/report.h"

namespace accelport {

/// Where a verb's report goes: standard output, or a file that is replaced as a whole at the end.
class Output {
 public:
  explicit Output(std::string path) : path_(std::move(path)) {}

  Sink sink();
  /// Must be called when the report is complete; errors name the file. A closed pipe is no error.
  Result<void> finish(const Files& files);

 private:
  std::string path_;
  std::string held_;  // for a file
  bool broken_pipe_ = false;
  bool failed_ = false;
};

/// True if reports for people may use colour: on a terminal, unless NO_COLOR or TERM=dumb or `--color` say otherwise.
bool use_colour(Colour wish, bool to_file);

/// Columns of the terminal on standard output (or what COLUMNS says), between 40 and 120; 100 if nothing says so.
int terminal_width();

bool output_is_terminal();

/// True if standard error is a terminal (progress is shown there only).
bool error_is_terminal();

/// A message of ours on standard error, escaped, behind "accelport: ".
void say(std::string_view message);

}  // namespace accelport
