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

std::vector<EditUnit> edit_units(const Plan& plan, const Audit& audit) {
  const OccurrenceIndex index(audit);
  std::vector<EditUnit> units;
  std::unordered_map<std::string, std::size_t> by_group;
  for (std::size_t c = 0; c < plan.changes.size(); ++c)
    for (std::size_t e = 0; e < plan.changes[c].edits.size(); ++e) {
      const Edit& edit = plan.changes[c].edits[e];
      if (edit.ids.empty()) continue;
      std::size_t number = units.size();
      if (!edit.group.empty()) number = by_group.emplace(edit.group, number).first->second;
      if (number == units.size()) {
        units.emplace_back();
        if (const Occurrence* first = index.find(edit.ids.front()); first != nullptr)
          units.back().category = first->category;
      }
      units[number].places.push_back({c, e});
      for (const std::string& id : edit.ids)
        if (std::find(units[number].ids.begin(), units[number].ids.end(), id) == units[number].ids.end())
          units[number].ids.push_back(id);
    }
  return units;
}

}  // namespace accelport
