#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "audit/audit.h"
#include "edit/change.h"

namespace accelport {

/// What one commit of a series does.
struct CommitStep {
  struct File {
    std::string path;   // relative to the root
    std::string after;  // the whole file as this commit leaves it
  };
  std::string message;  // subject, empty line, body; ends with a newline
  std::vector<File> files;
};

/// Splits a port into commits that can be read one by one: the helper module, then one for each category, then the
/// files that stand beside others. Every commit is complete: groups stay together, and what an edit needs (the import,
/// the helper) comes with it or before it. `helper_names` are the names that a helper module may have.
std::vector<CommitStep> commit_steps(const Plan& plan, const Audit& audit,
                                     const std::vector<std::string>& helper_names);

}  // namespace accelport
