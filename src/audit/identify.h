#pragma once

#include <string_view>

#include "audit/audit.h"

namespace accelport {

/// Gives every occurrence of the file its id: a hash of path, rule, the text of the lines it stands on (blanks folded)
/// and its ordinal among equals. Editing other lines does not change it.
void assign_ids(std::string_view path, std::string_view text, const LineTable& lines,
                std::vector<Occurrence>& occurrences);

}  // namespace accelport
