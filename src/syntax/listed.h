#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace accelport {

/// True if `word` is one of a short table's words.
template <std::size_t N>
bool listed(std::string_view word, const std::string_view (&table)[N]) {
  return std::find(std::begin(table), std::end(table), word) != std::end(table);
}

}  // namespace accelport
