#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/process.h"
#include "machine/probe_table.h"

namespace accelport {

/// What became of one question.
struct ProbeAnswer {
  enum class State { answered, failed, missing, timed_out, skipped };

  std::string id;
  std::string title;
  std::string command;  // as a person would type it; empty if there is no such program
  State state = State::skipped;
  int exit_code = 0;
  std::string output;  // at most kMostOutput bytes of each
  std::string error_output;
  bool is_cut = false;

  static constexpr std::size_t kMostOutput = 16 << 10;
};
std::string_view to_string(ProbeAnswer::State state);

/// The machine as the probes see it.
struct ProbeWorld {
  const Files& files;
  const Processes& processes;
  const std::vector<DataFile>& data;                        // for scripts
  std::function<std::string(const std::string&)> variable;  // of the environment, or empty
  std::function<std::string(const std::string&)> program;   // the absolute path of a program, or empty
  std::string empty_folder;                                 // where the probes run
};

struct ProbeResults {
  Facts facts;
  std::vector<ProbeAnswer> answers;
};

/// Asks every question in the order of the table. Beside what the patterns read, each leaves "ID.state", and "ID.exit",
/// "ID.output" (its first line) and "ID.error" (the first line of its errors) where there are such. A program that is
/// missing, hangs or says nothing of sense is an answer too, never an error.
ProbeResults ask_machine(const ProbeTable& table, const ProbeWorld& world);

}  // namespace accelport
