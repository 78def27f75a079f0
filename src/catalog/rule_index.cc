#include "catalog/rule_index.h"

#include <algorithm>
#include <array>

namespace accelport {
namespace {

constexpr std::size_t kKinds = static_cast<std::size_t>(SiteKind::text) + 1;
constexpr std::size_t kFields = 4;

/// How a name is filed. The number goes into the hash, so the forms do not meet.
enum class Form : unsigned { whole, first, last };

constexpr std::uint64_t kBasis = 0xcbf29ce484222325;

std::uint64_t seed(std::size_t field, Form form) { return kBasis + field * 16 + static_cast<unsigned>(form); }
std::uint64_t step(std::uint64_t hash, char c) { return (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3; }

std::uint64_t key(std::size_t field, Form form, std::string_view name) {
  std::uint64_t hash = seed(field, form);
  for (const char c : name) hash = step(hash, c);
  return hash;
}

bool is_separator(char c) { return c == '.' || c == ':'; }

/// What of a name's end is compared as a whole: the part behind the last separator.
std::string_view last_component(std::string_view name) {
  std::size_t at = name.size();
  while (at > 0 && !is_separator(name[at - 1])) --at;
  return name.substr(at);
}

/// The key under which a name or glob is found from every name that it fits; false if there is none.
bool key_of(std::size_t field, std::string_view name, std::uint64_t& out) {
  const std::size_t star = name.find('*');
  if (star == std::string_view::npos) {
    out = key(field, Form::whole, name);
    return true;
  }
  std::size_t first = star;
  while (first > 0 && !is_separator(name[first - 1])) --first;
  if (first > 1) {
    out = key(field, Form::first, name.substr(0, first - 1));
    return true;
  }
  const std::string_view tail = name.substr(name.rfind('*') + 1);
  const std::string_view last = last_component(tail);
  if (last.empty() || last.size() == tail.size()) return false;
  out = key(field, Form::last, last);
  return true;
}

const NameSet& names_of(const Condition& condition, std::size_t field) {
  switch (field) {
    case 0:
      return condition.api;
    case 1:
      return condition.callee;
    case 2:
      return condition.keyword;
    default:
      return condition.first_argument;
  }
}

std::string_view name_of(const Site& site, std::size_t field) {
  switch (field) {
    case 0:
      return site.api;
    case 1:
      return site.callee;
    case 2:
      return site.keyword;
    default:
      return site.first_argument;
  }
}

/// Calls `found` with every key under which a table could be filed that fits `name`.
template <typename Found>
void each_key(std::size_t field, std::string_view name, Found found) {
  std::uint64_t whole = seed(field, Form::whole);
  std::uint64_t first = seed(field, Form::first);
  for (const char c : name) {
    if (is_separator(c)) found(first);
    whole = step(whole, c);
    first = step(first, c);
  }
  found(whole);
  found(key(field, Form::last, last_component(name)));
}

}  // namespace

RuleIndex::RuleIndex(const std::vector<Rule>& rules) : kinds_(kKinds) {
  for (std::size_t r = 0; r < rules.size(); ++r) {
    for (std::size_t m = 0; m < rules[r].match.size(); ++m) {
      const Condition& condition = rules[r].match[m];
      for (std::size_t k = 0; k < kKinds; ++k) {
        if (condition.kinds != 0 && (condition.kinds >> k & 1) == 0) continue;
        file(kinds_[k], condition, {static_cast<std::uint16_t>(r), static_cast<std::uint16_t>(m)});
      }
    }
  }
}

void RuleIndex::file(Kind& kind, const Condition& condition, Entry entry) {
  for (std::size_t field = 0; field < kFields; ++field) {
    const auto& names = names_of(condition, field).names();
    std::vector<std::uint64_t> keys(names.size());
    bool all = !names.empty();
    for (std::size_t i = 0; i < names.size() && all; ++i) all = key_of(field, names[i], keys[i]);
    if (!all) continue;
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    for (const std::uint64_t k : keys) kind.filed[k].push_back(entry);
    kind.has_field[field] = true;
    return;
  }
  kind.others.push_back(entry);
}

int RuleIndex::first_match(const std::vector<Rule>& rules, const SiteView& view, std::uint16_t end) const {
  if (kinds_.empty()) return -1;
  const Kind& kind = kinds_[static_cast<std::size_t>(view.site.kind)];
  // Each list is in the rules' order, so a list is left as soon as it cannot give an earlier rule than the best so far.
  std::uint16_t best = end;
  const auto ask = [&](const Entries& entries) {
    for (const Entry entry : entries) {
      if (entry.rule >= best) return;
      if (holds(rules[entry.rule].match[entry.match], view)) {
        best = entry.rule;
        return;
      }
    }
  };
  for (std::size_t field = 0; field < kFields; ++field) {
    const std::string_view name = name_of(view.site, field);
    if (!kind.has_field[field] || name.empty()) continue;
    each_key(field, name, [&](std::uint64_t k) {
      if (const auto at = kind.filed.find(k); at != kind.filed.end()) ask(at->second);
    });
  }
  ask(kind.others);
  return best == end ? -1 : best;
}

}  // namespace accelport
