#pragma once

#include <optional>
#include <string>

#include "audit/audit.h"
#include "base/files.h"
#include "base/process.h"
#include "edit/change.h"
#include "edit/commits.h"
#include "edit/journal.h"

namespace accelport {

/// An error that names every file of the plan that must not be written: a link or behind one, a file with several
/// names, read-only, no file, or changed since it was read.
Result<void> check_plan(const Plan& plan, const std::string& root, const Files& files);

/// The last commit, or nothing outside of git; an error if the tree has other changes than those of the ports that the
/// journal knows, unless `allow_dirty`.
Result<std::string> base_revision(const Plan& plan, const std::string& root, bool allow_dirty, const Journal& journal,
                                  const Files& files, const Processes& processes);

struct ApplyOptions {
  std::string root;
  bool allow_dirty = false;
  bool commits = false;           // a git commit for each part of the plan, too
  bool trust_repository = false;  // git may run the repository's filter programs for them
  std::string person_lines;       // what a person has decided now, as lines for the decisions file
};

/// Writes the plan and the decisions, all or nothing. The journal must have been recovered. Gives the commits that were
/// made, if they were asked for.
Result<std::optional<CommitNote>> apply_plan(const Plan& plan, const Audit& audit, const ApplyOptions& options,
                                             Journal& journal, const EditableFiles& files, const Processes& processes);

/// What became of the commits of the last port if the program died while making them: completes what only git's index
/// lacks, and says what is so and what to do. Nothing if there is nothing to say.
Result<std::optional<std::string>> recover_commits(const std::string& root, const Journal& journal,
                                                   const EditableFiles& files, const Processes& processes);

/// An error that says how git takes the last port back, if it has been committed by `apply_plan`.
Result<void> refuse_committed(const std::string& root, const Journal& journal, const Processes& processes);

}  // namespace accelport
