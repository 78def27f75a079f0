#include <map>

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/text.h"
#include "base/version.h"
#include "edit/diff.h"
#include "report/port.h"

namespace accelport {
namespace {

void append_key(std::string& out, std::string_view key) { out += fmt::format("\"{}\":", key); }

void append_text(std::string& out, std::string_view key, std::string_view text) {
  append_key(out, key);
  append_json_string(out, text);
}

template <typename Items, typename Append>
void append_list(std::string& out, const Items& items, Append append) {
  out += '[';
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ',';
    first = false;
    append(item);
  }
  out += ']';
}

void append_texts(std::string& out, const std::vector<std::string>& texts) {
  append_list(out, texts, [&](const std::string& text) { append_json_string(out, text); });
}

void append_edit(std::string& out, const FileChange& change, const LineTable& lines, const Edit& edit) {
  const Position begin = lines.position(edit.span.begin), end = lines.position(edit.span.end);
  out += fmt::format("{{\"line\":{},\"column\":{},\"end_line\":{},\"end_column\":{},", begin.line, begin.column,
                     end.line, end.column);
  append_text(out, "before", slice(change.before, edit.span));
  out += ',';
  append_text(out, "after", edit.text);
  out += ",\"ids\":";
  append_texts(out, edit.ids);
  out += ',';
  append_text(out, "group", edit.group);
  out += '}';
}

void append_file(std::string& out, const FileChange& change) {
  out += "{\"path\":";
  append_json_path(out, change.path);
  out += fmt::format(",\"created\":{},\"edits\":", change.created);
  const LineTable lines(change.before);
  append_list(out, change.edits, [&](const Edit& edit) { append_edit(out, change, lines, edit); });
  out += ',';
  append_text(out, "patch", unified_diff(change));
  out += '}';
}

void append_unchanged(std::string& out, const Unchanged& unchanged) {
  out += '{';
  append_text(out, "id", unchanged.id);
  out += ",\"path\":";
  append_json_path(out, unchanged.path);
  out += fmt::format(",\"line\":{},", unchanged.line);
  append_text(out, "category", to_string(unchanged.category));
  out += ',';
  append_text(out, "decision", to_string(unchanged.decision));
  out += ',';
  append_text(out, "text", unchanged.text);
  out += ',';
  append_text(out, "reason", unchanged.reason);
  out += '}';
}

void append_advice(std::string& out, const Advice& advice) {
  out += "{\"path\":";
  if (advice.path.empty()) {
    out += "null";
  } else {
    append_json_path(out, advice.path);
  }
  out += fmt::format(",\"line\":{},", advice.line == 0 ? "null" : std::to_string(advice.line));
  append_text(out, "text", advice.text);
  out += ',';
  append_text(out, "snippet", advice.snippet);
  out += '}';
}

std::string head_of(const PortReport& report) {
  std::string out = "{\"schema\":\"accelport.port/1\",\"tool\":{\"name\":\"accelport\",";
  append_text(out, "version", version());
  out += "},\"platforms\":";
  append_list(out, report.audit.platforms, [&](const Platform* platform) { append_json_string(out, platform->name); });
  std::size_t edits = 0;
  for (const FileChange& change : report.plan.changes) edits += change.edits.size();
  return out + fmt::format(
                   ",\"written\":{},\"summary\":{{\"files\":{},\"edits\":{},\"settled\":{},\"left\":{},"
                   "\"unsupported\":{}}}",
                   report.written, report.plan.changes.size(), edits, settled_by(report.plan),
                   report.plan.unchanged.size(), report.unsupported);
}

}  // namespace

void write_port_json(const PortReport& report, const Sink& sink) {
  std::string out = head_of(report) + ",\"files\":[";
  bool first = true;
  for (const FileChange& change : report.plan.changes) {
    if (!first) out += ',';
    first = false;
    append_file(out += '\n', change);
    sink(out);
    out.clear();
  }
  out += "],\"unchanged\":";
  append_list(out, report.plan.unchanged,
              [&](const Unchanged& unchanged) { append_unchanged(out += '\n', unchanged); });
  out += ",\"advice\":";
  append_list(out, report.plan.advice, [&](const Advice& advice) { append_advice(out += '\n', advice); });
  sink(out + "}\n");
}

}  // namespace accelport
