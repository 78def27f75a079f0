#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/process.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "machine/target.h"

namespace accelport {

/// What the memory of a simulated card is a multiple of, if nobody says how much it has, and the least that it can
/// have.
inline constexpr std::uint64_t kCardGrain = std::uint64_t{2} << 20;

/// What `run` is asked for.
struct RunRequest {
  RunTarget target;
  std::vector<std::string> program;  // what stands behind "--"
  std::string fidelity = "exact";
  std::string strictness = "strict";
  std::uint64_t memory = 0;  // bytes of each card; 0: the card's, as far as this machine can hold it
  std::string faults;        // a file, or empty
  std::vector<std::string> without;
  bool quiet = false;  // only what must be said
};

/// What the run works with.
struct RunWorld {
  const EditableFiles& files;
  const Processes& processes;
  std::vector<DataFile> data;                   // the knowledge
  std::function<void(const std::string&)> say;  // a line to the user
};

/// Runs the program and gives its exit code. The program keeps our input and outputs; what we say goes to `say`.
Result<int> run_on_target(const RunRequest& request, const RunWorld& world);

}  // namespace accelport
