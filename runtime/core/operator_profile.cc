#include "core/operator_profile.h"

namespace accelport::sim {

OperatorProfile::Entry& OperatorProfile::entry(std::string_view name, bool on_card) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  if (found != entries_.end()) return *found->second;
  auto entry = std::make_unique<Entry>();
  entry->name = name;
  entry->on_card = on_card;
  return *entries_.emplace(std::string(name), std::move(entry)).first->second;
}

std::vector<std::pair<std::string, std::uint64_t>> OperatorProfile::calls(bool missing_only) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, std::uint64_t>> rows;
  for (const auto& [name, entry] : entries_)
    if (entry->calls != 0 && !(missing_only && entry->on_card)) rows.emplace_back(name, entry->calls.load());
  return rows;
}

}  // namespace accelport::sim
