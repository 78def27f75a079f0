#include "edit/edit_units.h"

#include <algorithm>
#include <unordered_map>

namespace accelport {

OccurrenceIndex::OccurrenceIndex(const Audit& audit) {
  for (const AuditedFile& file : audit.files)
    for (const Occurrence& occurrence : file.occurrences) sorted_.push_back(&occurrence);
  std::stable_sort(sorted_.begin(), sorted_.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
}

const Occurrence* OccurrenceIndex::find(const std::string& id) const {
  const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), id,
                                   [](const Occurrence* o, const std::string& wanted) { return o->id < wanted; });
  return at != sorted_.end() && (*at)->id == id ? *at : nullptr;
}

namespace {

/// Numbers that are brought together under the least of them.
class Sets {
 public:
  std::size_t add() {
    up_.push_back(up_.size());
    return up_.back();
  }
  std::size_t find(std::size_t i) {
    while (up_[i] != i) i = up_[i] = up_[up_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    a = find(a), b = find(b);
    up_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> up_;
};

}  // namespace

std::vector<EditUnit> edit_units(const Plan& plan, const Audit& audit) {
  const OccurrenceIndex index(audit);
  Sets sets;
  std::unordered_map<std::string, std::size_t> by_key;  // a group, or an occurrence that takes several edits
  std::vector<EditUnit::Place> places;
  for (std::size_t c = 0; c < plan.changes.size(); ++c)
    for (std::size_t e = 0; e < plan.changes[c].edits.size(); ++e) {
      const Edit& edit = plan.changes[c].edits[e];
      if (edit.ids.empty()) continue;
      const std::size_t number = sets.add();
      places.push_back({c, e});
      if (!edit.group.empty()) sets.join(number, by_key.emplace("group " + edit.group, number).first->second);
      for (const std::string& id : edit.ids) sets.join(number, by_key.emplace(id, number).first->second);
    }
  std::vector<EditUnit> units;
  std::unordered_map<std::size_t, std::size_t> unit_of;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t number = unit_of.emplace(sets.find(i), units.size()).first->second;
    if (number == units.size()) units.emplace_back();
    EditUnit& unit = units[number];
    unit.places.push_back(places[i]);
    for (const std::string& id : plan.changes[places[i].change].edits[places[i].edit].ids)
      if (std::find(unit.ids.begin(), unit.ids.end(), id) == unit.ids.end()) unit.ids.push_back(id);
  }
  for (EditUnit& unit : units)
    if (const Occurrence* first = index.find(unit.ids.front()); first != nullptr) unit.category = first->category;
  return units;
}

}  // namespace accelport
