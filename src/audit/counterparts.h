#pragma once

#include <string_view>
#include <vector>

#include "audit/audit.h"

namespace accelport {

/// An occurrence that is to be given a counterpart beside it is settled if every platform's variable already stands
/// behind it: in its own line, or in the next one if nothing else follows in its own. A read that gives a platform's
/// variable its value is settled too.
void settle_counterpart(std::string_view text, const std::vector<const Platform*>& platforms, Occurrence& occurrence);

}  // namespace accelport
