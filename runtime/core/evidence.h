#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace accelport::sim {

/// One line of evidence of a simulated run: keys and texts in the order given. It always says that it was simulated.
std::string evidence_line(std::string_view id, std::string_view verdict,
                          const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace accelport::sim
