#include "audit/coverage.h"

namespace accelport {

std::vector<std::int32_t> innermost_owners(const std::vector<Span>& spans, const std::vector<std::uint32_t>& offsets) {
  std::vector<std::int32_t> owners(offsets.size(), -1);
  std::vector<std::int32_t> open;
  std::size_t next = 0;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    for (; next < spans.size() && spans[next].begin <= offsets[i]; ++next) {
      while (!open.empty() && spans[open.back()].end <= spans[next].begin) open.pop_back();
      open.push_back(static_cast<std::int32_t>(next));
    }
    while (!open.empty() && spans[open.back()].end <= offsets[i]) open.pop_back();
    if (!open.empty()) owners[i] = open.back();
  }
  return owners;
}

}  // namespace accelport
