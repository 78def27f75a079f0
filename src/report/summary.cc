#include "report/summary.h"

#include "audit/decide.h"

namespace accelport {
namespace {

template <typename Enum>
std::size_t index(Enum value) {
  return static_cast<std::size_t>(value);
}

void add(const Occurrence& occurrence, Summary& summary) {
  ++summary.occurrences;
  ++summary.by_category[index(occurrence.category)];
  ++summary.by_decision[index(occurrence.decision)];
  summary.changed_by_port += occurrence.action != PortAction::none;
  summary.guesses += occurrence.category != Category::none && occurrence.confidence == Confidence::guess;
  if (is_finding(occurrence)) {
    ++summary.findings;
    summary.new_findings += !occurrence.baseline;
    summary.practice += occurrence.category == Category::practice;
  }
  if (!needs_work(occurrence)) return;
  ++summary.needs_work;
  ++summary.by_phase[index(occurrence.phase)];
  ++summary.effort[index(occurrence.effort)];
}

}  // namespace

Summary summarise(const Audit& audit) {
  Summary summary;
  for (const AuditedFile& file : audit.files)
    for (const Occurrence& occurrence : file.occurrences) add(occurrence, summary);
  return summary;
}

Summary summarise_project(const Audit& audit) {
  Summary summary;
  for (const AuditedFile& file : audit.files)
    for (const Occurrence& occurrence : file.occurrences)
      if (!occurrence.installed) add(occurrence, summary);
  return summary;
}

}  // namespace accelport
