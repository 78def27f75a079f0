#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "catalog/catalog.h"

namespace accelport {

/// What `run` must know of a platform to set up a simulated card; the rest of its data goes along as it is.
struct SimulatedPlatform {
  std::string name;
  std::string title;
  std::string device;                        // torch's name of it
  std::string plug_in;                       // how the vendor's package is imported
  std::string package;                       // what it is called
  std::string release;                       // its version
  std::string card;                          // a card's name
  std::uint64_t memory = 0;                  // bytes of a card
  std::vector<std::string> quirks;           // their ids
  std::map<std::string, std::string> files;  // of the platform's folder, by name
};

/// A platform of the knowledge by name, or one whose folder is given (a name with a slash in it).
Result<SimulatedPlatform> read_simulated_platform(const std::string& name, const std::vector<DataFile>& data,
                                                  const Files& files);

/// The visibility variables of all platforms of the knowledge: emptied, they hide every card.
Result<std::vector<std::string>> visibility_variables(const std::vector<DataFile>& data);

}  // namespace accelport
