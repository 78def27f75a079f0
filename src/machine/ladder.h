#pragma once

#include <functional>
#include <string>
#include <vector>

#include "machine/evidence.h"
#include "machine/run.h"

namespace accelport {

/// A row of data/rungs.toml.
struct Rung {
  std::string id;
  std::string title;
  std::string not_shown;  // what it says nothing about even if it passes
  std::string how;        // how a person can try it: this version has no program for it
  int deadline = 0;       // seconds; 0: no program
};
Result<std::vector<Rung>> read_rungs(const std::vector<DataFile>& data);

struct LadderRequest {
  std::string on;
  RunTarget target;  // the CPU or a simulated card
  std::string root;  // absolute; evidence goes below it
  std::string case_file;
  std::string faults;
  std::vector<std::string> rungs;  // ids; empty: all
};

struct RungResult {
  Rung rung;
  RungVerdict verdict = RungVerdict::unknown;
  std::string reason;  // unless it passed
};

/// Runs the rungs one after the other, each in a process group of its own that is ended at the deadline, and calls
/// `tell` after each. Evidence is on the disk before a rung begins and after it ended, however it ended.
Result<std::vector<RungResult>> climb(const LadderRequest& request, const RunWorld& world,
                                      const std::function<void(const RungResult&)>& tell);

}  // namespace accelport
