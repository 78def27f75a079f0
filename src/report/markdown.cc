#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "audit/decide.h"
#include "base/text.h"
#include "report/report.h"
#include "report/style.h"
#include "report/summary.h"

namespace accelport {
namespace {

/// Rows of one category's table; the rest is counted. A page for a pull request must stay readable.
constexpr std::size_t kMaxRows = 200;

/// Repository text inside a table cell: a code span that nothing in the text can leave.
std::string code(std::string_view text) {
  std::string shown;
  for (const char c : fitted(text, 80)) shown += c == '`' ? "ˋ" : c == '|' ? std::string("\\|") : std::string(1, c);
  return shown.empty() ? std::string() : "`" + shown + "`";
}

/// Text of ours or filled with repository text: nothing in it may start markup.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : escape_for_display(text)) {
    if (c == '<') {
      out += "&lt;";
    } else if (std::string_view("|*_[]`#>").find(c) != std::string_view::npos) {
      out += std::string("\\") + c;
    } else {
      out += c;
    }
  }
  return out;
}

void summary_table(const Summary& summary, const Audit& audit, const Sink& sink) {
  sink(fmt::format("{} in {} of {} ({}). {} to work on; `port` would change {}.\n\n",
                   counted(summary.occurrences, "occurrence"), grouped(audit.files.size()),
                   counted(audit.scanned, "file"), counted(audit.lines, "line"), grouped(summary.needs_work),
                   grouped(summary.changed_by_port)));
  sink("| category | occurrences |\n|---|---:|\n");
  for (int c = 0; c < kCategories; ++c)
    if (summary.by_category[c] != 0)
      sink(fmt::format("| {} | {} |\n", to_string(static_cast<Category>(c)), grouped(summary.by_category[c])));
  sink("\n| decision | occurrences |\n|---|---:|\n");
  for (int d = 0; d < kDecisions; ++d)
    if (summary.by_decision[d] != 0)
      sink(fmt::format("| {} | {} |\n", to_string(static_cast<Decision>(d)), grouped(summary.by_decision[d])));
  sink(fmt::format("\nEffort: {} mechanical, {} review, {} redesign.\n", grouped(summary.effort[0]),
                   grouped(summary.effort[1]), grouped(summary.effort[2])));
}

void row(const AuditedFile& file, const Occurrence& o, const Sink& sink) {
  sink(fmt::format("| {} | {} | {}{} | {} |\n", code(fmt::format("{}:{}", file.path, o.line)), to_string(o.decision),
                   code(o.text), o.replacement.empty() ? "" : " → " + code(o.replacement), plain(o.reason)));
}

void category_table(const Audit& audit, Category category, const Sink& sink) {
  sink(fmt::format("\n## {}\n\n| place | decision | what | why |\n|---|---|---|---|\n", to_string(category)));
  std::size_t rows = 0;
  for (const AuditedFile& file : audit.files)
    for (const Occurrence& o : file.occurrences)
      if (o.category == category && needs_work(o) && ++rows <= kMaxRows) row(file, o, sink);
  if (rows > kMaxRows) sink(fmt::format("\n…and {} more; see `accelport audit`.\n", grouped(rows - kMaxRows)));
}

}  // namespace

void write_markdown(const Audit& audit, const Catalog&, const Sink& sink) {
  const Summary summary = summarise(audit);
  sink("# CUDA audit\n\n");
  summary_table(summary, audit, sink);
  for (int c = 0; c < kCategories; ++c) {
    const auto category = static_cast<Category>(c);
    const bool any = std::any_of(audit.files.begin(), audit.files.end(), [&](const AuditedFile& file) {
      return std::any_of(file.occurrences.begin(), file.occurrences.end(),
                         [&](const Occurrence& o) { return o.category == category && needs_work(o); });
    });
    if (category != Category::none && any) category_table(audit, category, sink);
  }
}

}  // namespace accelport
