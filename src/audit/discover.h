#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/audit.h"
#include "base/files.h"
#include "base/process.h"

namespace accelport {

/// A file that the audit will read.
struct Candidate {
  std::string path;       // what reports name: relative to the root, or as typed for a root that is a file
  std::string full_path;  // what the file system is asked
  std::uint64_t size = 0;
  bool vendored = false;  // in a submodule or another repository inside the tree
};

struct Discovery {
  std::vector<Candidate> candidates;  // by path bytes
  std::vector<SkippedFile> skipped;   // by path bytes; a skipped folder is one row ending in "/"
};

/// Files above this are skipped with the reason; reading them would break the promise of bounded memory.
inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{64} << 20;

/// Everything below the roots, each file once: in `candidates` or in `skipped`. Inside a work tree git is asked which
/// files it ignores (`ls-files` only, so that nothing of the repository runs); links are not followed.
Result<Discovery> discover(const AuditOptions& options, const Files& files, const Processes& processes);

}  // namespace accelport
