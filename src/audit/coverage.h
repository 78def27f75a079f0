#pragma once

#include <cstdint>
#include <vector>

#include "audit/audit.h"
#include "syntax/encoding.h"
#include "syntax/site.h"

namespace accelport {

/// For each hit the index of the narrowest span that contains its first byte, or -1. `spans` are sorted by begin, wider
/// first; `offsets` ascend. Linear in both, whatever the nesting.
std::vector<std::int32_t> innermost_owners(const std::vector<Span>& spans, const std::vector<std::uint32_t>& offsets);

}  // namespace accelport
