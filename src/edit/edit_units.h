#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "audit/audit.h"
#include "edit/change.h"

namespace accelport {

/// Edits of a plan that are made together or not at all: those of one group or of one occurrence.
struct EditUnit {
  struct Place {
    std::size_t change = 0;  // of Plan::changes
    std::size_t edit = 0;    // of its edits
  };
  Category category = Category::none;  // of its first occurrence
  std::vector<Place> places;           // in the order of the plan
  std::vector<std::string> ids;        // of the occurrences that it settles, each once
};

/// The units of a plan by their first place. An edit without occurrences (an import, a helper's text) belongs to none:
/// it is made with the first of its file that is made.
std::vector<EditUnit> edit_units(const Plan& plan, const Audit& audit);

/// The occurrences of an audit by id.
class OccurrenceIndex {
 public:
  explicit OccurrenceIndex(const Audit& audit);
  /// Null for an id that the audit does not have.
  const Occurrence* find(const std::string& id) const;

 private:
  std::vector<const Occurrence*> sorted_;
};

}  // namespace accelport
