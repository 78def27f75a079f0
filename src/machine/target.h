#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"

namespace accelport {

/// Where a program is to run: what `--on` says.
struct RunTarget {
  enum class Kind { cpu, origin, card, simulated };

  Kind kind = Kind::cpu;
  std::string platform;  // its name, or the folder of its data (which has a slash in it)
  int devices = 1;
};

/// Most cards that can be simulated in one process.
inline constexpr int kMostSimulatedDevices = 64;

/// Reads "cpu", "cuda", a platform's name, "sim:NAME" or "sim:NAME:N". `data` is the knowledge: its platforms are the
/// names that are known, and it says which names cannot be simulated.
Result<RunTarget> parse_run_target(std::string_view text, const std::vector<DataFile>& data);

/// Names of the folders below platforms/, sorted.
std::vector<std::string> platform_names(const std::vector<DataFile>& data);

/// A size in bytes: "8GiB", "512M", "1.5g"; units are powers of 1024.
Result<std::uint64_t> parse_memory_size(std::string_view text);

}  // namespace accelport
