#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace accelport {

/// `text` escaped for display and broken between words so that no line is wider than `width` columns (a longer word
/// stands alone).
std::vector<std::string> wrapped(std::string_view text, int width);

}  // namespace accelport
