#include "report/port.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "edit/diff.h"
#include "report/style.h"
#include "report/wrap.h"

namespace accelport {
namespace {

/// A line of a file for a terminal: tabs stay, the end of the line and the carriage return before it are not shown.
std::string visible_line(std::string_view line) {
  if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  std::string out;
  while (!line.empty()) {
    const std::size_t tab = std::min(line.find('\t'), line.size());
    out += escape_for_display(line.substr(0, tab));
    if (tab < line.size()) out += '\t';
    line.remove_prefix(std::min(tab + 1, line.size()));
  }
  return out;
}

std::uint64_t edits_of(const Plan& plan) {
  std::uint64_t edits = 0;
  for (const FileChange& change : plan.changes) edits += change.edits.size();
  return edits;
}

class PortText {
 public:
  PortText(const PortReport& report, const TextStyle& style, const Sink& sink)
      : report_(report), style_(style), sink_(sink), paint_(style.colour) {}

  void run() {
    if (!style_.quiet) {
      for (const FileChange& change : report_.plan.changes) write_change_text(change, style_.colour, sink_);
      left();
      advice();
    }
    summary();
  }

 private:
  void line(std::string_view text) const {
    sink_(text);
    sink_("\n");
  }

  void left() const {
    const std::vector<Unchanged>& unchanged = report_.plan.unchanged;
    if (unchanged.empty()) return;
    line(paint_.bold("left as they are"));
    for (const Unchanged& u : unchanged) {
      line(fmt::format("  {}:{} {}", escape_for_display(u.path), u.line, fitted(u.text, 60)));
      for (const std::string& part : wrapped(u.reason, style_.width - 6)) line(paint_.dim("      " + part));
    }
    line("");
  }

  void advice() const {
    if (report_.plan.advice.empty()) return;
    line(paint_.bold("for a person to do"));
    for (const Advice& advice : report_.plan.advice) {
      for (const std::string& part : wrapped(advice.text, style_.width - 2)) line("  " + part);
      std::string_view rest = advice.snippet;
      while (!rest.empty()) {
        const std::size_t size = std::min(rest.find('\n'), rest.size() - 1) + 1;
        line("      " + visible_line(rest.substr(0, size)));
        rest.remove_prefix(size);
      }
    }
    line("");
  }

  void summary() const {
    const Plan& plan = report_.plan;
    if (plan.empty()) {
      line("nothing to change");
    } else {
      const std::uint64_t settled = settled_by(plan);
      line(fmt::format("{}{}, {}, {} settled", report_.written ? "written: " : "", counted(plan.changes.size(), "file"),
                       counted(edits_of(plan), "edit"), counted(settled, "occurrence")));
    }
    left_summary();
    if (!plan.empty() && !report_.written) line(paint_.dim("nothing was written; --write does it"));
  }

  void left_summary() const {
    std::map<std::string_view, std::uint64_t> by_reason;
    for (const Unchanged& unchanged : report_.plan.unchanged) ++by_reason[unchanged.reason];
    std::vector<std::pair<std::string_view, std::uint64_t>> rows(by_reason.begin(), by_reason.end());
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    if (!rows.empty()) line(fmt::format("left: {}", counted(report_.plan.unchanged.size(), "occurrence")));
    for (const auto& [reason, count] : rows) line(fmt::format("  {:>5}  {}", grouped(count), fitted(reason, 100)));
    if (report_.unsupported != 0)
      line(fmt::format("unsupported: {} that a person must see to; `accelport audit` shows them",
                       counted(report_.unsupported, "occurrence")));
  }

  const PortReport& report_;
  const TextStyle& style_;
  const Sink& sink_;
  Painter paint_;
};

}  // namespace

std::uint64_t settled_by(const Plan& plan) {
  std::unordered_set<std::string_view> ids;
  for (const FileChange& change : plan.changes)
    for (const Edit& edit : change.edits) ids.insert(edit.ids.begin(), edit.ids.end());
  return ids.size();
}

void write_change_text(const FileChange& change, bool colour, const Sink& sink) {
  const Painter paint(colour);
  const auto line = [&](std::string_view text) { sink(std::string(text) + "\n"); };
  const std::string name = escape_for_display(change.path);
  line(paint.bold(change.created ? "new file " + name : name));
  for (const DiffHunk& hunk : diff_hunks(change)) {
    line(paint.dim(hunk.header()));
    for (const DiffHunk::Line& part : hunk.lines) {
      const std::string text = std::string(1, part.mark) + visible_line(part.text);
      line(part.mark == '-' ? paint.removed(text) : part.mark == '+' ? paint.added(text) : text);
      if (part.text.empty() || part.text.back() != '\n') line(paint.dim("\\ No newline at end of file"));
    }
  }
  line("");
}

void write_port_text(const PortReport& report, const TextStyle& style, const Sink& sink) {
  PortText(report, style, sink).run();
}

void write_port_patch(const PortReport& report, bool to_terminal, const Sink& sink) {
  for (const FileChange& change : report.plan.changes) {
    const std::string patch = unified_diff(change);
    if (!to_terminal) {
      sink(patch);
      continue;
    }
    std::string_view rest = patch;
    while (!rest.empty()) {
      const std::size_t size = std::min(rest.find('\n'), rest.size() - 1) + 1;
      sink(visible_line(rest.substr(0, size)) + "\n");
      rest.remove_prefix(size);
    }
  }
}

}  // namespace accelport
