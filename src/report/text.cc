#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "audit/decide.h"
#include "base/text.h"
#include "report/report.h"
#include "report/style.h"
#include "report/summary.h"
#include "report/wrap.h"

namespace accelport {
namespace {

constexpr int kCategoryWidth = 18;
constexpr int kNumberWidth = 12;

std::string megabytes(std::uint64_t bytes) { return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6); }

std::string platform_names(const Audit& audit) {
  std::string names;
  for (const Platform* platform : audit.platforms) names += (names.empty() ? "" : ", ") + platform->name;
  return names.empty() ? "none" : names;
}

/// Counts of one category by decision.
using DecisionCounts = std::array<std::uint64_t, kDecisions>;

std::array<DecisionCounts, kCategories> count_table(const Audit& audit) {
  std::array<DecisionCounts, kCategories> table{};
  for (const AuditedFile& file : audit.files)
    for (const Occurrence& o : file.occurrences) ++table[static_cast<int>(o.category)][static_cast<int>(o.decision)];
  return table;
}

class TextReport {
 public:
  TextReport(const Audit& audit, const TextStyle& style, const Sink& sink)
      : audit_(audit), style_(style), sink_(sink), paint_(style.colour), summary_(summarise(audit)) {}

  void run() {
    head();
    table();
    work();
    if (!style_.quiet) {
      occurrences();
      skipped();
    }
    close();
  }

 private:
  void line(std::string_view text = {}) {
    sink_(text);
    sink_("\n");
  }

  void head() {
    line(fmt::format("{} {}", paint_.bold(counted(summary_.occurrences, "occurrence")),
                     paint_.dim(fmt::format("in {} of {}, {}, {}; platforms: {}", grouped(audit_.files.size()),
                                            counted(audit_.scanned, "file"), counted(audit_.lines, "line"),
                                            megabytes(audit_.bytes), platform_names(audit_)))));
    line();
  }

  void table() {
    std::string heading = padded("", kCategoryWidth);
    for (int d = 0; d < kDecisions; ++d) heading += fmt::format("{:>{}}", to_string(static_cast<Decision>(d)), kNumberWidth);
    line(paint_.dim(heading));
    const auto counts = count_table(audit_);
    for (int c = 0; c < kCategories; ++c) {
      if (summary_.by_category[c] == 0) continue;
      std::string row = padded(to_string(static_cast<Category>(c)), kCategoryWidth);
      for (int d = 0; d < kDecisions; ++d)
        row += counts[c][d] == 0 ? paint_.dim(fmt::format("{:>{}}", "·", kNumberWidth))
                                 : paint_.decision(static_cast<Decision>(d), fmt::format("{:>{}}", grouped(counts[c][d]), kNumberWidth));
      line(row);
    }
    line();
  }

  void work() {
    if (summary_.needs_work == 0) return line(summary_.occurrences == 0 ? "Nothing here depends on CUDA." : "Nothing is left to do.");
    line(fmt::format("{} to work on: {} mechanical, {} to review, {} to redesign; `port` would change {}",
                     paint_.bold(grouped(summary_.needs_work)), grouped(summary_.effort[0]), grouped(summary_.effort[1]),
                     grouped(summary_.effort[2]), grouped(summary_.changed_by_port)));
    std::string phases = "needed for";
    for (int p = 0; p < kPhases; ++p)
      if (summary_.by_phase[p] != 0)
        phases += fmt::format("{} {} {}", phases.back() == 'r' ? "" : ",", to_string(static_cast<Phase>(p)), grouped(summary_.by_phase[p]));
    line(phases);
    if (summary_.practice != 0) line(fmt::format("{} broken", counted(summary_.practice, "practice rule")));
    if (audit_.baseline_matched != 0)
      line(fmt::format("{} known from the baseline, {} new", grouped(audit_.baseline_matched), counted(summary_.new_findings, "finding")));
    if (audit_.foreign_decisions != 0)
      line(fmt::format("{} were decided on another machine", grouped(audit_.foreign_decisions)));
  }

  /// Category by category, then file by file; text that only looks like a dependency is counted above and not listed.
  void occurrences() {
    for (int c = 0; c < kCategories; ++c) {
      const auto category = static_cast<Category>(c);
      if (category == Category::none || summary_.by_category[c] == 0) continue;
      line();
      line(paint_.bold(to_string(category)));
      for (const AuditedFile& file : audit_.files) file_block(file, category);
    }
  }

  void file_block(const AuditedFile& file, Category category) {
    bool named = false;
    last_reason_.clear();
    for (const Occurrence& occurrence : file.occurrences) {
      if (occurrence.category != category) continue;
      if (!named) line("  " + paint_.path(fitted(file.path, style_.width - 2)));
      named = true;
      occurrence_lines(occurrence);
    }
  }

  void occurrence_lines(const Occurrence& o) {
    const std::string place = fmt::format("{}:{}", o.line, o.column);
    const int room = std::max(20, style_.width - 26);
    std::string shown = fitted(o.text, o.replacement.empty() ? room : std::max(20, room / 2 - 2));
    if (!o.replacement.empty()) shown += paint_.dim(" → ") + fitted(o.replacement, std::max(20, room - display_width(shown) - 3));
    line(fmt::format("    {} {} {}{}", padded(place, 9), paint_.decision(o.decision, padded(to_string(o.decision), 11)), shown,
                     o.confidence == Confidence::guess ? paint_.dim("  (a guess: look at it)") : ""));
    if (o.reason != last_reason_) {
      for (const std::string& part : wrapped(o.reason, style_.width - 14)) line(paint_.dim("              " + part));
      for (const Note& note : o.notes) note_lines(note);
    }
    last_reason_ = o.reason;
  }

  void note_lines(const Note& note) {
    const std::string text = fmt::format("{} {} ({}): {}", note.platform->name, note.fact->id, to_string(note.fact->severity), note.fact->text);
    for (const std::string& part : wrapped(text, style_.width - 16)) line(paint_.dim("              | " + part));
  }

  void skipped() {
    if (audit_.skipped.empty()) return;
    line();
    if (!style_.list_files) {
      line(paint_.dim(fmt::format("{} skipped; --files lists them with the reason", counted(audit_.skipped.size(), "path"))));
      return;
    }
    line(paint_.bold("skipped"));
    for (const SkippedFile& file : audit_.skipped)
      line(fmt::format("  {}  {}", fitted(file.path, style_.width - 30), paint_.dim(file.reason)));
    line(paint_.bold("scanned"));
    for (const std::string& path : audit_.scanned_paths) line("  " + fitted(path, style_.width - 2));
  }

  void close() {
    if (summary_.needs_work == 0 || style_.quiet) return;
    line();
    line(paint_.dim("why: accelport explain PATH:LINE      for programs: --json, --format sarif|markdown"));
  }

  const Audit& audit_;
  const TextStyle& style_;
  const Sink& sink_;
  Painter paint_;
  Summary summary_;
  std::string last_reason_;
};

}  // namespace

void write_text(const Audit& audit, const Catalog&, const TextStyle& style, const Sink& sink) {
  TextReport(audit, style, sink).run();
}

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
  sink(fmt::format("\n{} in {}; {} scanned, {} skipped; the totals are {}.\n", counted(summary.occurrences, "occurrence"),
                   counted(audit.files.size(), "file"), counted(audit.scanned, "file"), counted(audit.skipped.size(), "path"),
                   hits == covered ? "equal" : "NOT equal: please report this as a bug"));
  sink(paint.dim("grep: LC_ALL=C grep -o -a -i -F -e TERM FILES | wc -l\n"));
  return audit.term_hits == audit.term_covered;
}

}  // namespace accelport
