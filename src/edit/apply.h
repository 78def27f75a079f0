#pragma once

#include <string>

#include "audit/audit.h"
#include "base/files.h"
#include "base/process.h"
#include "edit/change.h"
#include "edit/journal.h"

namespace accelport {

/// An error that names every file of the plan that must not be written: a link or behind one, a file with several
/// names, read-only, no file, or changed since it was read.
Result<void> check_plan(const Plan& plan, const std::string& root, const Files& files);

/// The last commit, or nothing outside of git; an error if the tree has other changes than those of the ports that the
/// journal knows, unless `allow_dirty`.
Result<std::string> base_revision(const Plan& plan, const std::string& root, bool allow_dirty, const Journal& journal,
                                  const Files& files, const Processes& processes);

/// Writes the plan and the decisions, all or nothing. The journal must have been recovered.
Result<void> apply_plan(const Plan& plan, const Audit& audit, const std::string& root, bool allow_dirty,
                        Journal& journal, const Files& files, const Processes& processes);

}  // namespace accelport
