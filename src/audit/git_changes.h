#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/process.h"

namespace accelport {

/// How a tree differs from its last commit.
struct GitChanges {
  std::string head;                // the last commit; empty if there is none yet
  std::vector<std::string> paths;  // below the root, sorted
};

/// Tracked files below `root` that differ from the last commit on the disk or in the index, and those of `wanted` that
/// are not tracked. The bytes are compared by our own hash: git's `status` would start filter programs of the
/// repository. Line ends that git converts and files kept by LFS make no difference. Nothing outside of a work tree; an
/// error if there is a repository that git does not read.
Result<std::optional<GitChanges>> git_changes(const std::string& root, const std::vector<std::string>& wanted,
                                              const Files& files, const Processes& processes);

}  // namespace accelport
