#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/process.h"
#include "base/result.h"
#include "machine/diagnosis.h"
#include "machine/probing.h"
#include "machine/target.h"

namespace accelport {

/// What a machine is, and what is wrong with it for a target.
struct EnvironmentReport {
  std::string target;                                      // "cpu", "cuda" or a platform's name
  std::string title;                                       // the platform's, for people
  std::vector<std::pair<std::string, std::string>> about;  // what the machine is, line by line
  std::vector<Finding> findings;                           // errors, warnings, notes
  ProbeResults machine;

  std::size_t count(Weight weight) const;
  /// Neither an error nor a warning.
  bool is_clean() const { return count(Weight::error) + count(Weight::warning) == 0; }
};

/// What the examination works with.
struct EnvironmentWorld {
  const EditableFiles& files;
  const Processes& processes;
  const std::vector<DataFile>& data;
};

/// Asks this machine for `target` (a simulated one cannot be asked), and judges the answers.
Result<EnvironmentReport> examine_environment(const RunTarget& target, const EnvironmentWorld& world);

/// Names of the platforms that have probes, sorted.
std::vector<std::string> probed_platforms(const std::vector<DataFile>& data);

}  // namespace accelport
