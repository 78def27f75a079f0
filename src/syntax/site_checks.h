#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "syntax/reader.h"

namespace accelport {

/// The place where `output` breaks what reader.h promises for `input`; empty if it keeps every promise. For tests and
/// fuzz targets.
inline std::string broken_promise(const ReadInput& input, const ReadOutput& output) {
  const auto at = [](const Site& site) {
    return std::to_string(site.span.begin) + ".." + std::to_string(site.span.end);
  };
  const Site* previous = nullptr;
  for (const Site& site : output.sites) {
    if (site.span.begin >= site.span.end || site.span.end > input.text.size()) return "out of range: " + at(site);
    if (previous != nullptr) {
      const bool later = previous->span.begin < site.span.begin;
      const bool narrower = previous->span.begin == site.span.begin && previous->span.end >= site.span.end;
      if (!later && !narrower) return "out of order: " + at(site);
    }
    previous = &site;
  }
  std::uint32_t covered = 0;
  std::size_t next = 0;
  for (const Hit& hit : input.hits) {
    for (; next < output.sites.size() && output.sites[next].span.begin <= hit.offset; ++next)
      covered = std::max(covered, output.sites[next].span.end);
    if (hit.offset + hit.size > covered) return "hit without a site: " + std::to_string(hit.offset);
  }
  return {};
}

}  // namespace accelport
