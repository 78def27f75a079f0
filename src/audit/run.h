#pragma once

#include "audit/audit.h"
#include "base/files.h"
#include "base/process.h"

namespace accelport {

/// The platforms of these names, all if there are none; an unknown name is an error that says which are known.
Result<std::vector<const Platform*>> chosen_platforms(const Catalog& catalog, const std::vector<std::string>& names);

/// Audits everything below the roots. The result depends on the files and the options only: not on the number of
/// threads, nor on the order in which the file system lists its entries. Executes nothing of the tree.
Result<Audit> run_audit(const Catalog& catalog, const AuditOptions& options, const Files& files,
                        const Processes& processes);

/// The occurrences of revision `revision` in the files that `audit` read, as a baseline (`--since`).
Result<class Baseline> baseline_of_revision(const Catalog& catalog, const AuditOptions& options,
                                            const std::string& revision, const Audit& audit,
                                            const Processes& processes);

}  // namespace accelport
