#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace accelport {

inline constexpr int kWindow = 5;   // bytes of a literal that the scanner's filter looks at
inline constexpr int kBuckets = 8;  // one bit each

/// Which low and high halves of a byte a set of literals has at one place of their windows.
struct NibbleSet {
  std::uint16_t low = 0;
  std::uint16_t high = 0;
};
using WindowSet = std::array<NibbleSet, kWindow>;

/// Where each literal is looked for, and with which others.
struct LiteralGroups {
  std::vector<std::uint8_t> anchors;  // by literal: where in it the window begins
  std::array<std::vector<std::uint16_t>, kBuckets> buckets;
  std::array<WindowSet, kBuckets> sets;
};

/// Chooses for each literal the window that source text has least often, and puts literals into buckets whose joint
/// filter lets the least through. Shorter literals have a window whose last places accept everything.
LiteralGroups group_literals(const std::vector<std::string>& literals, const std::vector<bool>& ignore_case);

}  // namespace accelport
