#include "edit/selection.h"

#include <algorithm>

namespace accelport {

bool is_to_change(const Occurrence& o) {
  return !o.installed &&
         (o.decision == Decision::abstract || o.decision == Decision::replace || o.decision == Decision::fallback);
}

bool is_selected(const PlanOptions& options, const AuditedFile& file, const Occurrence& occurrence) {
  if (options.chosen && options.chosen->count(occurrence.id) == 0) return false;
  if (options.only.empty()) return true;
  return std::any_of(options.only.begin(), options.only.end(), [&](const std::string& only) {
    return only == occurrence.id || only == to_string(occurrence.category) || path_match(only, file.path) ||
           file.path.starts_with(only.ends_with('/') ? only : only + "/");
  });
}

bool is_outside(std::string_view path) {
  return path.starts_with('/') || path.starts_with("../") || path.find("/../") != std::string_view::npos;
}

}  // namespace accelport
