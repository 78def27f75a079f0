#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "catalog/catalog.h"

namespace accelport {

/// A line of a requirements file that harms the vendor's torch, and why.
struct HarmfulLine {
  std::string path;  // as it was typed or included
  std::uint32_t line = 1;
  std::string text;
  std::string kind;    // of requirements.toml: "torch", "nvidia" …
  std::string reason;  // one sentence
  std::string instead;
};

struct RequirementsCheck {
  std::vector<HarmfulLine> harmful;
  std::vector<std::string> safe;      // the requirements that are left, in order, includes written out
  std::vector<std::string> problems;  // "path:line: what could not be followed"
};

/// Reads a requirements file with the files that it includes (`-r`, `-c`, below its folder only). `data` holds
/// "requirements.toml". Nothing is installed or asked of an index.
Result<RequirementsCheck> check_requirements(const std::string& path, const Files& files,
                                             const std::vector<DataFile>& data);

}  // namespace accelport
