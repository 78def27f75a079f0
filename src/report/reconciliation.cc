#include <fmt/format.h>

#include "report/report.h"
#include "report/style.h"
#include "report/summary.h"

namespace accelport {

bool write_reconciliation(const Audit& audit, const Catalog& catalog, const TextStyle& style, const Sink& sink) {
  const Painter paint(style.colour);
  sink(paint.dim(fmt::format("{:<28}{:>14}{:>14}\n", "term", "grep counts", "explained")));
  std::uint64_t hits = 0, covered = 0;
  for (std::size_t i = 0; i < catalog.terms.size(); ++i) {
    hits += audit.term_hits[i];
    covered += audit.term_covered[i];
    const bool equal = audit.term_hits[i] == audit.term_covered[i];
    const std::string row = fmt::format("{:<28}{:>14}{:>14}{}\n", catalog.terms[i].text, grouped(audit.term_hits[i]),
                                        grouped(audit.term_covered[i]), equal ? "" : "   differs");
    sink(equal ? row : paint.decision(Decision::unsupported, row));
  }
  const Summary summary = summarise(audit);
  sink(fmt::format("{:<28}{:>14}{:>14}\n", "all", grouped(hits), grouped(covered)));
  sink(fmt::format("\n{} in {}; {} scanned, {} skipped; the totals are {}.\n",
                   counted(summary.occurrences, "occurrence"), counted(audit.files.size(), "file"),
                   counted(audit.scanned, "file"), counted(audit.skipped.size(), "path"),
                   hits == covered ? "equal" : "NOT equal: please report this as a bug"));
  sink(paint.dim("grep: LC_ALL=C grep -o -a -i -F -e TERM FILES | wc -l\n"));
  return audit.term_hits == audit.term_covered;
}

}  // namespace accelport
