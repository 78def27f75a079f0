#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/report.h"
#include "report/style.h"
#include "report/summary.h"
#include "report/wrap.h"

namespace accelport {
namespace {

/// Three columns that fit the width: a term, and two numbers.
class Table {
 public:
  explicit Table(int width)
      : number_(std::clamp((width - kLeastTerm) / 2, kLeastNumber, kMostNumber)),
        term_(std::clamp(width - 2 * number_, kLeastTerm, kMostTerm)) {}

  std::string row(std::string_view term, std::string_view left, std::string_view right) const {
    return padded(fitted(term, term_ - 1), term_) + aligned(left) + aligned(right);
  }

 private:
  static constexpr int kLeastTerm = 22, kMostTerm = 28;
  static constexpr int kLeastNumber = 9, kMostNumber = 14;

  std::string aligned(std::string_view text) const {
    return std::string(static_cast<std::size_t>(std::max(0, number_ - display_width(text))), ' ') + std::string(text);
  }

  int number_;
  int term_;
};

}  // namespace

bool write_reconciliation(const Audit& audit, const Catalog& catalog, const TextStyle& style, const Sink& sink) {
  const Painter paint(style.colour);
  const Table table(style.width);
  sink(paint.dim(table.row("term", "grep", "explained")) + "\n");
  std::uint64_t hits = 0, covered = 0;
  for (std::size_t i = 0; i < catalog.terms.size(); ++i) {
    hits += audit.term_hits[i];
    covered += audit.term_covered[i];
    const bool equal = audit.term_hits[i] == audit.term_covered[i];
    const std::string row =
        table.row(catalog.terms[i].text, grouped(audit.term_hits[i]), grouped(audit.term_covered[i]));
    sink((!equal                    ? paint.decision(Decision::unsupported, row + " !")
          : audit.term_hits[i] == 0 ? paint.dim(row)
                                    : row) +
         "\n");
  }
  sink(table.row("all", grouped(hits), grouped(covered)) + "\n\n");
  const Summary summary = summarise(audit);
  const std::string close = fmt::format(
      "{} in {}; {} scanned, {} skipped; the totals are {}.", counted(summary.occurrences, "occurrence"),
      counted(audit.files.size(), "file"), counted(audit.scanned, "file"), counted(audit.skipped.size(), "path"),
      audit.term_hits == audit.term_covered ? "equal" : "NOT equal (!): please report this as a bug");
  for (const std::string& line : wrapped(close, style.width)) sink(line + "\n");
  for (const std::string& line : wrapped("grep: LC_ALL=C grep -o -a -i -F -e TERM FILES | wc -l", style.width))
    sink(paint.dim(line) + "\n");
  return audit.term_hits == audit.term_covered;
}

}  // namespace accelport
