#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "machine/simulated_platform.h"

namespace accelport {

/// What one simulated run is to be like.
struct SimulationSettings {
  int devices = 1;
  std::uint64_t memory = 0;  // bytes of each card
  std::string strictness = "strict";
  std::string fidelity = "exact";
  std::string faults;                // absolute path, or empty
  std::vector<std::string> without;  // quirks that are off
  std::string binaries;              // folder of the extension's builds
};

/// The folder that goes on PYTHONPATH, file by file: the Python side of the simulator, declared as a back end of torch;
/// the stand-in of the vendor's package; the platform's data; the settings. `folder` is its absolute path.
std::map<std::string, std::string> private_folder_files(const SimulatedPlatform& platform,
                                                        const SimulationSettings& settings, const std::string& folder,
                                                        const std::vector<DataFile>& data);

/// Where the processes of the run leave their reports, below the private folder.
inline constexpr std::string_view kReportFolder = "reports";
inline constexpr std::string_view kSettingsFile = "settings.json";
inline constexpr std::string_view kSettingsVariable = "ACCELPORT_SIM";

/// Writes the files below `folder`, which exists, making the folders that they need.
Result<void> write_private_folder(const std::map<std::string, std::string>& contents, const std::string& folder,
                                  const EditableFiles& files);

}  // namespace accelport
