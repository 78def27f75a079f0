#pragma once

#include "catalog/helper_table.h"
#include "edit/plan.h"

namespace accelport {

/// The plan of the style `neutral`: what torch itself has a name for on every accelerator, where the repository's own
/// range of torch allows it. Nothing else changes, and there is no helper.
Result<Plan> plan_neutral(const Audit& audit, const PlanOptions& options, const HelperTable& table, const Files& files);

}  // namespace accelport
