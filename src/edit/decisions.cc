#include "edit/decisions.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/core.h>

#include "base/json_text.h"

namespace accelport {
namespace {

constexpr std::string_view kHead = "{\"id\":\"";
constexpr std::string_view kWho = "\",\"who\":\"";

/// `person` would be obeyed by later audits, also when the comment or the setting has gone.
std::string_view author(const Occurrence& occurrence) {
  if (occurrence.decided_by == "comment") return "comment";
  return occurrence.decided_by.empty() ? "rule" : "settings";
}

void append_text(std::string& out, std::string_view key, std::string_view value) {
  out += fmt::format(",\"{}\":", key);
  append_json_string(out, value);
}

std::string line_of(const AuditedFile& file, const Occurrence& o, const Unchanged* left, const MappedValue* mapped,
                    std::string_view base, std::string_view style) {
  std::string out = fmt::format("{}{}{}{}\",\"path\":", kHead, o.id, kWho, author(o));
  append_json_path(out, file.path);
  out += fmt::format(",\"line\":{}", o.line);
  append_text(out, "category", to_string(o.category));
  append_text(out, "decision", to_string(o.decision));
  append_text(out, "outcome", left == nullptr ? "settled" : "left");
  append_text(out, "reason", o.reason);
  if (left != nullptr) append_text(out, "left_because", left->reason);
  if (mapped != nullptr) append_text(out, "mapped_by", mapped->reader);
  if (!style.empty()) append_text(out, "style", style);
  if (!base.empty()) append_text(out, "base", base);
  return out + "}\n";
}

/// The occurrence that one of our own lines is about; empty for other lines and those of persons.
std::string_view subject_of(std::string_view line) {
  if (line.substr(0, kHead.size()) != kHead) return {};
  line.remove_prefix(kHead.size());
  const std::string_view id = line.substr(0, line.find('"'));
  line.remove_prefix(id.size());
  if (line.substr(0, kWho.size()) != kWho || line.substr(kWho.size(), 7) == "person\"") return {};
  return id;
}

template <typename Use>
void each_line(std::string_view text, Use use) {
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    use(text.substr(0, size));
    text.remove_prefix(size);
  }
}

}  // namespace

std::string decision_lines(const Audit& audit, const Plan& plan, std::string_view base_revision) {
  std::unordered_set<std::string_view> settled;
  for (const FileChange& change : plan.changes)
    for (const Edit& edit : change.edits) settled.insert(edit.ids.begin(), edit.ids.end());
  std::unordered_map<std::string_view, const MappedValue*> mapped;
  for (const MappedValue& value : plan.mapped) mapped.emplace(value.id, &value);
  std::unordered_map<std::string_view, const Unchanged*> left;
  for (const Unchanged& unchanged : plan.unchanged) left.emplace(unchanged.id, &unchanged);
  std::string out;
  for (const AuditedFile& file : audit.files)
    for (const Occurrence& occurrence : file.occurrences) {
      const auto found = left.find(occurrence.id);
      const auto value = mapped.find(occurrence.id);
      if (found == left.end() && value == mapped.end() && settled.count(occurrence.id) == 0) continue;
      if (occurrence.decided_by == "decisions.jsonl") continue;
      out += line_of(file, occurrence, found == left.end() ? nullptr : found->second,
                     value == mapped.end() ? nullptr : value->second, base_revision, plan.style);
    }
  return out;
}

std::string merge_decisions(std::string_view file, std::string_view lines) {
  std::unordered_set<std::string_view> renewed;
  each_line(lines, [&](std::string_view line) { renewed.insert(subject_of(line)); });
  std::string out;
  each_line(file, [&](std::string_view line) {
    const std::string_view id = subject_of(line);
    if (id.empty() || renewed.count(id) == 0) out += line;
  });
  if (!out.empty() && out.back() != '\n') out += '\n';
  return out.append(lines);
}

std::string style_of(std::string_view file) {
  constexpr std::string_view kSettled = "\"outcome\":\"settled\"", kStyle = "\"style\":\"";
  std::string style;
  each_line(file, [&](std::string_view line) {
    const std::size_t at = line.rfind(kStyle);
    if (subject_of(line).empty() || at == std::string_view::npos) return;
    std::string_view said = line.substr(at + kStyle.size());
    said = said.substr(0, said.find('"'));
    // What stays in the style `adapter` is the adapter's.
    if (line.find(kSettled) != std::string_view::npos || said == "adapter") style = said;
  });
  return style;
}

std::string person_line(const AuditedFile& file, const Occurrence& o, Decision decision, std::string_view reason) {
  std::string out = fmt::format("{}{}{}person\",\"path\":", kHead, o.id, kWho);
  append_json_path(out, file.path);
  out += fmt::format(",\"line\":{}", o.line);
  append_text(out, "category", to_string(o.category));
  append_text(out, "decision", to_string(decision));
  append_text(out, "reason", reason);
  return out + "}\n";
}

std::string add_person_lines(std::string_view file, std::string_view lines) {
  if (lines.empty()) return std::string(file);
  std::unordered_set<std::string_view> renewed;
  const auto id_in = [](std::string_view line) {
    const std::size_t key = line.find("\"id\"");
    if (key == std::string_view::npos) return std::string_view();
    line.remove_prefix(std::min(line.find('"', key + 4), line.size() - 1) + 1);
    return line.substr(0, line.find('"'));
  };
  each_line(lines, [&](std::string_view line) { renewed.insert(id_in(line)); });
  std::string out;
  each_line(file, [&](std::string_view line) {
    if (const std::string_view id = id_in(line); id.empty() || renewed.count(id) == 0) out += line;
  });
  if (!out.empty() && out.back() != '\n') out += '\n';
  return out.append(lines);
}

}  // namespace accelport
