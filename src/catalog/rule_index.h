#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catalog/condition.h"
#include "catalog/rule.h"

namespace accelport {

/// Finds the first rule that explains a site without asking them all. Every [[match]] table that pins a name (`api`,
/// else `callee`, `keyword` or `first_argument`) is filed under its names, a glob under its literal first or last
/// components; a site looks only under its own names and at the few tables that pin none.
class RuleIndex {
 public:
  RuleIndex() = default;
  /// `rules` are in the order in which they are asked.
  explicit RuleIndex(const std::vector<Rule>& rules);

  /// Number of the first of the rules before `end` that explains the site; -1 if none does. `rules` are those of the
  /// constructor, perhaps moved.
  int first_match(const std::vector<Rule>& rules, const SiteView& view, std::uint16_t end) const;

 private:
  struct Entry {
    std::uint16_t rule;
    std::uint16_t match;
  };
  using Entries = std::vector<Entry>;
  struct Kind {
    std::unordered_map<std::uint64_t, Entries> filed;
    Entries others;
    bool has_field[4] = {};
  };

  static void file(Kind& kind, const Condition& condition, Entry entry);

  std::vector<Kind> kinds_;
};

}  // namespace accelport
