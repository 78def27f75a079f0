#pragma once

#include <string_view>

#include "edit/plan.h"

namespace accelport {

/// Whether the decision about it is one that a port carries out.
bool is_to_change(const Occurrence& occurrence);

/// Whether `--only` and the answers of a person let it change.
bool is_selected(const PlanOptions& options, const AuditedFile& file, const Occurrence& occurrence);

/// A path that leads out of the root.
bool is_outside(std::string_view path);

}  // namespace accelport
