#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "audit/decide.h"
#include "report/text_parts.h"
#include "report/wrap.h"

namespace accelport {
namespace {

constexpr int kCategoryWidth = 18;
constexpr int kNumberWidth = 10;
constexpr int kEffortWidth = 12;
constexpr std::size_t kMaxFiles = 8;

/// Counts of one category by decision.
using DecisionCounts = std::array<std::uint64_t, kDecisions>;

std::array<DecisionCounts, kCategories> count_table(const Audit& audit) {
  std::array<DecisionCounts, kCategories> table{};
  for (const AuditedFile& file : audit.files)
    for (const Occurrence& o : file.occurrences)
      if (!o.installed) ++table[static_cast<int>(o.category)][static_cast<int>(o.decision)];
  return table;
}

/// The decisions that occur, but for the one that goes with no dependency.
std::vector<Decision> decisions_in_use(const Summary& summary) {
  std::vector<Decision> used;
  for (int d = 0; d < kDecisions; ++d)
    if (summary.by_decision[d] != 0 && static_cast<Decision>(d) != Decision::ignore)
      used.push_back(static_cast<Decision>(d));
  return used;
}

std::string right_aligned(std::string_view text, int width) {
  const int missing = width - display_width(text);
  return std::string(missing > 0 ? static_cast<std::size_t>(missing) : 0, ' ') + std::string(text);
}

std::string size_of(std::uint64_t bytes) {
  const auto number = static_cast<double>(bytes);
  return bytes < 1'000'000 ? fmt::format("{:.0f} kB", std::ceil(number / 1e3)) : fmt::format("{:.1f} MB", number / 1e6);
}

/// What a decision asks for, for a reader who meets the words for the first time.
std::string_view meaning(Decision decision) {
  switch (decision) {
    case Decision::abstract:
      return "one expression serves every device";
    case Decision::retain:
      return "right as it stands";
    case Decision::replace:
      return "each platform needs a value or source of its own";
    case Decision::fallback:
      return "guard it and go another way";
    case Decision::unsupported:
      return "nothing corresponds: a person must act";
    case Decision::ignore:
      break;
  }
  return "no dependency";
}

std::string platform_names(const Audit& audit) {
  std::string names;
  for (const Platform* platform : audit.platforms) names += (names.empty() ? "" : ", ") + platform->name;
  return names.empty() ? "none" : names;
}

class SummaryPart {
 public:
  explicit SummaryPart(const TextPage& page)
      : page_(page),
        audit_(page.audit),
        summary_(page.summary),
        paint_(page.paint),
        dependencies_(summary_.occurrences - summary_.by_category[static_cast<int>(Category::none)]) {}

  void run() {
    head();
    table();
    work();
    files();
  }

 private:
  void head() {
    const std::string found = dependencies_ == 0 ? "Nothing here depends on CUDA"
                                                 : fmt::format("{} {} on CUDA", grouped(dependencies_),
                                                               dependencies_ == 1 ? "dependency" : "dependencies");
    page_.line(fmt::format(
        "{}{}", paint_.bold(found),
        dependencies_ == 0 ? "" : fmt::format(", {} to work on", paint_.bold(grouped(summary_.needs_work)))));
    faint(fmt::format("{}, {}, {} read; platforms: {}", counted(audit_.scanned, "file"), counted(audit_.lines, "line"),
                      size_of(audit_.bytes), platform_names(audit_)));
  }

  void table() {
    if (dependencies_ != 0) {
      page_.line();
      const std::vector<Decision> columns = decisions_in_use(summary_);
      const int width = kCategoryWidth + static_cast<int>(columns.size()) * (kNumberWidth + 2) + kNumberWidth;
      width <= page_.style.width ? wide_table(columns) : narrow_table(columns);
      if (!page_.style.quiet) legend(columns);
    }
    const std::uint64_t harmless = summary_.by_category[static_cast<int>(Category::none)];
    if (harmless != 0) {
      page_.line();
      faint(fmt::format("{} only {} like one: comments, own names, stored output (--json has them)",
                        counted(harmless, "more place"), harmless == 1 ? "looks" : "look"));
    }
  }

  void legend(const std::vector<Decision>& columns) {
    page_.line();
    for (const Decision d : columns) {
      const std::string name = padded(to_string(d), kNumberWidth + 2);
      faint_behind(paint_.decision(d, name), name, meaning(d));
    }
  }

  void wide_table(const std::vector<Decision>& columns) {
    std::string heading = padded("", kCategoryWidth);
    for (const Decision d : columns) heading += right_aligned(to_string(d), kNumberWidth + 2);
    page_.line(paint_.dim(heading + right_aligned("all", kNumberWidth)));
    const auto counts = count_table(audit_);
    for (int c = 0; c < kCategories; ++c) {
      if (summary_.by_category[c] == 0 || static_cast<Category>(c) == Category::none) continue;
      std::string row = padded(to_string(static_cast<Category>(c)), kCategoryWidth);
      for (const Decision d : columns) row += number(d, counts[c][static_cast<int>(d)]);
      page_.line(row + right_aligned(grouped(summary_.by_category[c]), kNumberWidth));
    }
  }

  std::string number(Decision decision, std::uint64_t count) {
    const std::string shown = right_aligned(count == 0 ? "·" : grouped(count), kNumberWidth + 2);
    return count == 0 ? paint_.dim(shown) : paint_.decision(decision, shown);
  }

  void narrow_table(const std::vector<Decision>& columns) {
    const auto counts = count_table(audit_);
    for (int c = 0; c < kCategories; ++c) {
      if (summary_.by_category[c] == 0 || static_cast<Category>(c) == Category::none) continue;
      page_.line(paint_.bold(padded(to_string(static_cast<Category>(c)), kCategoryWidth)) +
                 right_aligned(grouped(summary_.by_category[c]), kNumberWidth));
      for (const Decision d : columns)
        if (counts[c][static_cast<int>(d)] != 0)
          page_.line("  " + padded(to_string(d), kCategoryWidth - 2) +
                     paint_.decision(d, right_aligned(grouped(counts[c][static_cast<int>(d)]), kNumberWidth)));
    }
  }

  void work() {
    std::vector<std::string> lines;
    if (summary_.needs_work != 0) {
      lines.push_back(fmt::format("effort: {} mechanical, {} to review, {} to redesign; `port` would change {}",
                                  grouped(summary_.effort[0]), grouped(summary_.effort[1]), grouped(summary_.effort[2]),
                                  grouped(summary_.changed_by_port)));
      lines.push_back("needed for: " + phases());
    }
    if (summary_.practice != 0)
      lines.push_back(fmt::format("practice: {} where accelerator code is written in a way that breaks",
                                  counted(summary_.practice, "place")));
    if (summary_.guesses != 0)
      lines.push_back(fmt::format("sure: all but {}, marked as a guess", grouped(summary_.guesses)));
    if (audit_.baseline_matched != 0)
      lines.push_back(fmt::format("baseline: {} known, {} new", grouped(audit_.baseline_matched),
                                  counted(summary_.new_findings, "finding")));
    if (audit_.foreign_decisions != 0)
      lines.push_back(fmt::format("decisions: {} made on another machine", grouped(audit_.foreign_decisions)));
    if (!lines.empty()) page_.line();
    for (const std::string& text : lines)
      for (const std::string& part : wrapped(text, page_.style.width)) page_.line(part);
  }

  std::string phases() {
    std::string text;
    for (int p = 0; p < kPhases; ++p)
      if (summary_.by_phase[p] != 0)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", phase_name(static_cast<Phase>(p)),
                            grouped(summary_.by_phase[p]));
    return text;
  }

  static std::string_view phase_name(Phase phase) {
    return phase == Phase::devices ? "several devices" : phase == Phase::docs ? "documents only" : to_string(phase);
  }

  struct FileWork {
    const AuditedFile* file = nullptr;
    std::uint64_t all = 0;
    std::array<std::uint64_t, kEfforts> effort{};
  };

  std::vector<FileWork> files_by_work() {
    std::vector<FileWork> rows;
    for (const AuditedFile& file : audit_.files) {
      FileWork row{&file, 0, {}};
      for (const Occurrence& o : file.occurrences)
        if (needs_work(o)) ++row.all, ++row.effort[static_cast<int>(o.effort)];
      if (row.all != 0) rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const FileWork& a, const FileWork& b) { return a.all > b.all; });
    return rows;
  }

  /// Effort by file; all files with `--files`, else those with most.
  void files() {
    const std::vector<FileWork> rows = files_by_work();
    const int room = page_.style.width - 3 * kEffortWidth;
    if (rows.size() < 2 || page_.style.quiet || room < kCategoryWidth) return;
    const std::size_t shown = page_.style.list_files ? rows.size() : std::min(rows.size(), kMaxFiles);
    int widest = kCategoryWidth;
    for (std::size_t i = 0; i < shown; ++i)
      widest = std::max(widest, std::min(room, display_width(rows[i].file->path)));
    page_.line();
    std::string heading = padded("most work in", widest);
    for (int e = 0; e < kEfforts; ++e) heading += right_aligned(to_string(static_cast<Effort>(e)), kEffortWidth);
    page_.line(paint_.dim(heading));
    for (std::size_t i = 0; i < shown; ++i) {
      std::string row = paint_.path(padded(fitted(rows[i].file->path, widest), widest));
      for (const std::uint64_t count : rows[i].effort)
        row += count == 0 ? paint_.dim(right_aligned("·", kEffortWidth)) : right_aligned(grouped(count), kEffortWidth);
      page_.line(row);
    }
    if (shown < rows.size())
      faint(fmt::format("and {} (--files lists them)", counted(rows.size() - shown, "more file")));
  }

  /// `text` behind `head`, which is `plain` in colour, its further lines indented alike.
  void faint_behind(const std::string& head, std::string_view plain, std::string_view text) {
    const int indent = display_width(plain);
    bool first = true;
    for (const std::string& part : wrapped(text, page_.style.width - indent)) {
      page_.line((first ? head : padded("", indent)) + paint_.dim(part));
      first = false;
    }
  }

  void faint(std::string_view text) {
    for (const std::string& part : wrapped(text, page_.style.width)) page_.line(paint_.dim(part));
  }

  const TextPage& page_;
  const Audit& audit_;
  const Summary& summary_;
  const Painter& paint_;
  std::uint64_t dependencies_;
};

}  // namespace

void write_text_summary(const TextPage& page) { SummaryPart(page).run(); }

}  // namespace accelport
