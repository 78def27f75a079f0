#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "base/process.h"
#include "edit/change.h"
#include "edit/journal.h"

namespace accelport {

/// What takes every trace of the tool out of a tree; the ported code and its helper module stay.
struct Ejection {
  std::vector<FileChange> changes;   // comments that only speak to the tool go
  std::vector<std::string> removed;  // files, relative to the root
  bool has_journal = false;
  std::vector<std::string> kept;  // "path:line: text" that still names the tool: for a person

  bool empty() const { return changes.empty() && removed.empty() && !has_journal; }
};

/// Reads the tree, writes nothing.
Result<Ejection> plan_ejection(const std::string& root, const Files& files, const Processes& processes);

/// Does it, all files or none; then the journal goes, so that only git can take it back. Refuses a tree with changes
/// that are not committed, and one outside of git, unless `allow_dirty`.
Result<void> eject(const Ejection& ejection, const std::string& root, bool allow_dirty, Journal& journal,
                   const Files& files, const Processes& processes);

}  // namespace accelport
