#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "audit/audit.h"
#include "audit/discover.h"
#include "base/files.h"

namespace accelport {

/// Where Python may be installed: the variables of an activated environment, and PATH.
struct PythonPlaces {
  std::string virtual_env;
  std::string conda_prefix;
  std::string path;
};

/// The folders of installed packages (site-packages, dist-packages): of the virtual environment, else of conda's, else
/// of the first python3 on PATH. Looks at names only; no interpreter is run.
std::vector<std::string> package_folders(const PythonPlaces& places, const Files& files);

/// A distribution that is installed, with those of its Python files that its RECORD names and that are there.
struct InstalledPackage {
  std::string name;                   // "NAME VERSION"
  std::vector<Candidate> candidates;  // paths begin with "packages:NAME VERSION/"
};

/// The distributions below `folders` that hold a top-level module which the Python files of `project` import and that
/// are not `own_modules`; by name, the first folder wins. torch itself is not among them: every platform brings its own
/// build. What was left out is appended to `skipped`.
std::vector<InstalledPackage> imported_packages(const std::vector<Candidate>& project,
                                                const std::unordered_set<std::string>& own_modules,
                                                const std::vector<std::string>& folders, const Files& files,
                                                std::vector<SkippedFile>& skipped);

}  // namespace accelport
