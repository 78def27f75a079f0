#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace accelport {

struct ProcessRequest {
  std::vector<std::string>
      command;  // command[0] is a program's name (searched in the absolute folders of PATH) or path
  std::string input;
  std::map<std::string, std::string> environment;  // added to ours
  std::string folder;                              // where it runs; empty: where we do
  std::chrono::milliseconds time_limit{30'000};
  std::size_t output_limit = std::size_t{1} << 30;
};

struct ProcessResult {
  int exit_code = -1;      // 128 + signal if it was killed
  bool timed_out = false;  // … by us: it ran past its time, or said more than its limit
  std::string output;
  std::string error_output;
};

/// Programs as the stages see them: no shell, no inherited input, always a time limit. One that even SIGKILL does not
/// end (it waits inside a driver) is left behind after a short grace.
class Processes {
 public:
  virtual ~Processes() = default;
  virtual Result<ProcessResult> run(const ProcessRequest& request) const = 0;
  /// Runs a program with our own input, outputs and terminal until it ends, and gives its exit code (128 + signal if it
  /// was killed). Signals sent to us are handed on; what the terminal sends, it gets itself. Only `command` and
  /// `environment` of the request count.
  virtual Result<int> run_in_foreground(const ProcessRequest& request) const;
};

const Processes& real_processes();

/// The absolute path of a program: of a name, searched in the absolute folders of PATH; a path is given as it is. Empty
/// if there is none.
std::string find_program(const std::string& name);

/// Bytes of memory that the machine has.
std::uint64_t machine_memory();

/// Shows `text` with the user's own pager (a command line as in PAGER), which has the terminal until it ends. False if
/// it could not be started.
bool show_in_pager(const std::string& pager, std::string_view text);

/// Answers from a script, for tests: the command's words joined with a blank name the answer.
class ScriptedProcesses : public Processes {
 public:
  void answer(std::string command, ProcessResult result) { answers_[std::move(command)] = std::move(result); }
  Result<ProcessResult> run(const ProcessRequest& request) const override;

 private:
  std::map<std::string, ProcessResult> answers_;
};

}  // namespace accelport
