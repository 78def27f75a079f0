#include "syntax/literal_groups.h"

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace accelport {
namespace {

/// How often each printable character stands in source text, in 1/10000, from " " to "~".
constexpr std::uint16_t kFrequencies[] = {
    2533, 2,   81, 21, 1,   1,   1,   24,  108, 108, 17,  6,   163, 33,  142, 12,  37, 45,  32, 16,  13,  12,  11,  7,
    9,    7,   68, 1,  2,   95,  15,  1,   3,   17,  7,   15,  13,  16,  12,  4,   4,  18,  1,  4,   12,  11,  23,  12,
    12,   2,   11, 18, 30,  6,   5,   4,   3,   2,   1,   35,  4,   35,  1,   241, 28, 406, 66, 194, 225, 683, 160, 111,
    127,  375, 7,  45, 251, 171, 375, 373, 210, 14,  383, 415, 494, 168, 45,  43,  52, 69,  20, 8,   3,   8,   1};

double frequency(unsigned byte) {
  if (byte >= 32 && byte < 127) return kFrequencies[byte - 32] / 10000.0;
  return byte == '\n' ? 0.0256 : 0.0001;
}

/// For every high half of a byte and half of a set of low halves: how often one of these bytes occurs.
class Chances {
 public:
  Chances() {
    for (unsigned high = 0; high < 16; ++high) {
      for (unsigned half = 0; half < 2; ++half) {
        for (unsigned set = 0; set < 256; ++set) {
          double sum = 0;
          for (unsigned bit = 0; bit < 8; ++bit)
            if ((set >> bit & 1) != 0) sum += frequency(high << 4 | half << 3 | bit);
          rows_[high][half][set] = static_cast<float>(sum);
        }
      }
    }
  }

  /// How often a place of source text passes the filter of `set`.
  double of(const WindowSet& set) const {
    double product = 1;
    for (const NibbleSet& place : set) {
      double sum = 0;
      for (unsigned high = 0; high < 16; ++high) {
        if ((place.high >> high & 1) == 0) continue;
        sum += rows_[high][0][place.low & 255] + rows_[high][1][place.low >> 8];
      }
      product *= sum;
    }
    return product;
  }

 private:
  float rows_[16][2][256];
};

void add_byte(NibbleSet& place, char c) {
  const auto byte = static_cast<unsigned char>(c);
  place.low |= static_cast<std::uint16_t>(1u << (byte & 15));
  place.high |= static_cast<std::uint16_t>(1u << (byte >> 4));
}

WindowSet window_at(const std::string& literal, bool ignore_case, std::size_t anchor) {
  WindowSet set;
  for (std::size_t k = 0; k < kWindow; ++k) {
    if (anchor + k >= literal.size()) {
      set[k] = {0xFFFF, 0xFFFF};
      continue;
    }
    const char c = literal[anchor + k];
    add_byte(set[k], c);
    if (!ignore_case || !is_ascii_alpha(c)) continue;
    add_byte(set[k], ascii_lower(c));
    add_byte(set[k], static_cast<char>(ascii_lower(c) - 'a' + 'A'));
  }
  return set;
}

WindowSet joined(const WindowSet& a, const WindowSet& b) {
  WindowSet all = a;
  for (std::size_t k = 0; k < kWindow; ++k) {
    all[k].low |= b[k].low;
    all[k].high |= b[k].high;
  }
  return all;
}

std::size_t last_anchor(const std::string& literal) {
  return literal.size() > kWindow ? std::min<std::size_t>(literal.size() - kWindow, 255) : 0;
}

constexpr int kRounds = 4;

struct Group {
  WindowSet set{};
  double chance = 0;
  std::vector<std::uint16_t> members;
};

/// Joins the two groups that cost least together until there are few enough.
void merge(std::vector<Group>& groups, const Chances& chances) {
  const auto cost = [&](std::size_t a, std::size_t b) {
    return chances.of(joined(groups[a].set, groups[b].set)) - groups[a].chance - groups[b].chance;
  };
  std::vector<std::vector<double>> costs(groups.size(), std::vector<double>(groups.size()));
  for (std::size_t a = 0; a < groups.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) costs[a][b] = cost(a, b);
  while (groups.size() > kBuckets) {
    std::size_t best_a = 1, best_b = 0;
    for (std::size_t a = 1; a < groups.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (costs[a][b] < costs[best_a][best_b]) best_a = a, best_b = b;
    Group& kept = groups[best_b];
    kept.set = joined(kept.set, groups[best_a].set);
    kept.chance = chances.of(kept.set);
    kept.members.insert(kept.members.end(), groups[best_a].members.begin(), groups[best_a].members.end());
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(best_a));
    costs.erase(costs.begin() + static_cast<std::ptrdiff_t>(best_a));
    for (auto& row : costs) row.erase(row.begin() + static_cast<std::ptrdiff_t>(best_a));
    for (std::size_t other = 0; other < groups.size(); ++other) {
      if (other != best_b) costs[std::max(other, best_b)][std::min(other, best_b)] = cost(other, best_b);
    }
  }
}

/// Literals move to the bucket and window where they cost least, until a round changes little.
class Improver {
 public:
  Improver(const std::vector<std::string>& literals, const std::vector<bool>& ignore_case, const Chances& chances,
           std::vector<Group>& groups, std::vector<std::uint8_t>& anchors)
      : literals_(literals), ignore_case_(ignore_case), chances_(chances), groups_(groups), anchors_(anchors) {}

  void run(int rounds) {
    groups_.resize(kBuckets);
    for (int round = 0; round < rounds; ++round)
      for (std::uint16_t i = 0; i < literals_.size(); ++i) move(i);
  }

 private:
  WindowSet window(std::uint16_t i, std::size_t anchor) const {
    return window_at(literals_[i], ignore_case_[i], anchor);
  }

  /// Empty groups let nothing through.
  void read(Group& group) const {
    group.set = {};
    for (const std::uint16_t member : group.members) group.set = joined(group.set, window(member, anchors_[member]));
    group.chance = group.members.empty() ? 0 : chances_.of(group.set);
  }

  void move(std::uint16_t i) {
    for (Group& group : groups_) {
      const auto found = std::find(group.members.begin(), group.members.end(), i);
      if (found == group.members.end()) continue;
      group.members.erase(found);
      read(group);
      break;
    }
    Group* best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t at = 0; at <= last_anchor(literals_[i]); ++at) {
      const WindowSet own = window(i, at);
      for (Group& group : groups_) {
        const double cost = chances_.of(joined(group.set, own)) - group.chance;
        if (cost >= least) continue;
        least = cost;
        best = &group;
        anchors_[i] = static_cast<std::uint8_t>(at);
      }
    }
    best->members.push_back(i);
    read(*best);
  }

  const std::vector<std::string>& literals_;
  const std::vector<bool>& ignore_case_;
  const Chances& chances_;
  std::vector<Group>& groups_;
  std::vector<std::uint8_t>& anchors_;
};

}  // namespace

LiteralGroups group_literals(const std::vector<std::string>& literals, const std::vector<bool>& ignore_case) {
  static const Chances kChances;
  LiteralGroups out;
  std::vector<Group> groups;
  for (std::size_t i = 0; i < literals.size(); ++i) {
    Group group;
    group.chance = std::numeric_limits<double>::infinity();
    std::size_t anchor = 0;
    for (std::size_t at = 0; at <= last_anchor(literals[i]); ++at) {
      const WindowSet set = window_at(literals[i], ignore_case[i], at);
      const double chance = kChances.of(set);
      if (chance >= group.chance) continue;
      group.set = set;
      group.chance = chance;
      anchor = at;
    }
    group.members.push_back(static_cast<std::uint16_t>(i));
    out.anchors.push_back(static_cast<std::uint8_t>(anchor));
    groups.push_back(std::move(group));
  }
  merge(groups, kChances);
  Improver(literals, ignore_case, kChances, groups, out.anchors).run(kRounds);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::sort(groups[i].members.begin(), groups[i].members.end());
    out.buckets[i] = std::move(groups[i].members);
    out.sets[i] = groups[i].set;
  }
  return out;
}

}  // namespace accelport
