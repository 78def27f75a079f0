#include <map>
#include <string>

#include <fmt/format.h>

#include "audit/decide.h"
#include "base/json_text.h"
#include "base/text.h"
#include "base/version.h"
#include "report/report.h"

namespace accelport {
namespace {

void text_member(std::string& out, std::string_view key, std::string_view value) {
  append_json_string(out, key);
  out += ':';
  append_json_string(out, value);
}

std::string_view level_of(const Occurrence& o) {
  if (o.decision == Decision::unsupported) return "error";
  return o.category == Category::practice || needs_work(o) ? "warning" : "note";
}

/// A URI reference: everything outside of the unreserved characters and "/" as %XX, so that any path's bytes survive.
std::string uri_of(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (is_ascii_alpha(c) || is_ascii_digit(c) || std::string_view("-._~/").find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

/// Rules in the order of their first result, as SARIF refers to them by index.
struct RuleTable {
  std::map<std::string_view, std::size_t> index;
  std::string json;

  std::size_t of(const Rule& rule) {
    const auto [entry, fresh] = index.emplace(rule.id, index.size());
    if (fresh) {
      json += json.empty() ? "\n{" : ",\n{";
      text_member(json, "id", rule.id);
      text_member(json += ",\"shortDescription\":{", "text", rule.summary);
      text_member(json += "},\"fullDescription\":{", "text", rule.why.empty() ? rule.summary : rule.why);
      json += "}}";
    }
    return entry->second;
  }
};

void append_region(std::string& out, const Occurrence& o) {
  out += fmt::format("\"region\":{{\"startLine\":{},\"startColumn\":{},\"endLine\":{},\"endColumn\":{}}}", o.line,
                     o.utf16_column, o.end_line, o.utf16_end_column);
}

void append_result(std::string& out, const AuditedFile& file, const Occurrence& o, RuleTable& rules) {
  out += out.empty() ? "\n{" : ",\n{";
  text_member(out, "ruleId", o.rule->id);
  out += fmt::format(",\"ruleIndex\":{},", rules.of(*o.rule));
  text_member(out, "level", level_of(o));
  std::string message = fmt::format("{} ({}/{})", o.reason, to_string(o.category), to_string(o.decision));
  if (!o.replacement.empty()) message += ": " + o.replacement;
  text_member(out += ",\"message\":{", "text", escape_for_display(message));
  text_member(out += "},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{", "uri", uri_of(file.path));
  out += ",\"uriBaseId\":\"SRCROOT\"},";
  append_region(out, o);
  text_member(out += "}}],\"partialFingerprints\":{", "accelport/1", o.id);
  out += "},\"properties\":{";
  text_member(out, "category", to_string(o.category));
  text_member(out += ',', "decision", to_string(o.decision));
  text_member(out += ',', "confidence", to_string(o.confidence));
  out += "}";
  if (o.baseline) out += ",\"baselineState\":\"unchanged\"";
  out += "}";
}

}  // namespace

void write_sarif(const Audit& audit, const Catalog&, const Sink& sink) {
  RuleTable rules;
  std::string results;
  for (const AuditedFile& file : audit.files)
    for (const Occurrence& o : file.occurrences)
      if (o.rule != nullptr && (is_finding(o) || needs_work(o))) append_result(results, file, o, rules);
  sink(
      "{\"$schema\":\"https://json.schemastore.org/"
      "sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{");
  std::string driver;
  text_member(driver, "name", "accelport");
  text_member(driver += ',', "version", version());
  sink(driver + ",\"rules\":[" + rules.json + "]}},\"columnKind\":\"utf16CodeUnits\",");
  sink(
      "\"originalUriBaseIds\":{\"SRCROOT\":{\"description\":{\"text\":\"the folder that was "
      "audited\"}}},\"results\":[");
  sink(results);
  sink("]}]}\n");
}

}  // namespace accelport
