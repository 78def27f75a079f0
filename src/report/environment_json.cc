#include <fmt/core.h>

#include "base/json_text.h"
#include "base/version.h"
#include "report/environment.h"

namespace accelport {
namespace {

void append_key(std::string& out, std::string_view key) {
  if (out.back() != '{') out += ',';
  append_json_string(out, key);
  out += ':';
}

void append_text(std::string& out, std::string_view key, std::string_view text) {
  append_key(out, key);
  append_json_string(out, text);
}

void append_texts(std::string& out, std::string_view key, const std::vector<std::string>& texts) {
  append_key(out, key);
  out += '[';
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i != 0) out += ',';
    append_json_string(out, texts[i]);
  }
  out += ']';
}

/// "[one,two]" of what `append` writes for each item.
template <typename Items, typename Append>
void append_list(std::string& out, std::string_view key, const Items& items, Append append) {
  append_key(out, key);
  out += '[';
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ',';
    first = false;
    out += '{';
    append(item);
    out += '}';
  }
  out += ']';
}

void append_finding(std::string& out, const Finding& finding) {
  append_text(out, "id", finding.id);
  append_text(out, "weight", to_string(finding.weight));
  append_text(out, "cause", finding.cause);
  append_texts(out, "evidence", finding.evidence);
  append_texts(out, "mend", finding.mend);
  append_texts(out, "facts", finding.semantic_facts);
  append_text(out, "source", finding.source);
}

void append_answer(std::string& out, const ProbeAnswer& answer) {
  append_text(out, "id", answer.id);
  append_text(out, "title", answer.title);
  append_text(out, "state", to_string(answer.state));
  append_text(out, "command", answer.command);
  append_key(out, "exit_code");
  out += std::to_string(answer.exit_code);
  append_text(out, "output", answer.output);
  append_text(out, "error_output", answer.error_output);
  append_key(out, "cut");
  out += answer.is_cut ? "true" : "false";
}

void append_machine(std::string& out, const EnvironmentReport& report) {
  append_text(out, "target", report.target);
  append_key(out, "ready");
  out += report.count(Weight::error) == 0 ? "true" : "false";
  append_key(out, "summary");
  out += fmt::format("{{\"errors\":{},\"warnings\":{},\"notes\":{}}}", report.count(Weight::error),
                     report.count(Weight::warning), report.count(Weight::note));
  append_list(out, "about", report.about, [&](const auto& line) {
    append_text(out, "label", line.first);
    append_text(out, "text", line.second);
  });
  append_list(out, "findings", report.findings, [&](const Finding& finding) { append_finding(out, finding); });
  append_key(out, "facts");
  out += '{';
  for (const auto& [name, value] : report.machine.facts.all()) append_text(out, name, value);
  out += '}';
  append_list(out, "probes", report.machine.answers, [&](const ProbeAnswer& answer) { append_answer(out, answer); });
}

void append_requirements(std::string& out, const EnvironmentAnswer& answer) {
  const RequirementsCheck& check = *answer.requirements;
  append_key(out, "requirements");
  out += '{';
  append_key(out, "path");
  append_json_path(out, answer.requirements_path);
  append_list(out, "harmful", check.harmful, [&](const HarmfulLine& line) {
    append_key(out, "path");
    append_json_path(out, line.path);
    append_key(out, "line");
    out += std::to_string(line.line);
    append_text(out, "text", line.text);
    append_text(out, "kind", line.kind);
    append_text(out, "reason", line.reason);
    append_text(out, "instead", line.instead);
  });
  append_texts(out, "safe", check.safe);
  append_texts(out, "problems", check.problems);
  out += '}';
}

}  // namespace

void write_environment_json(const EnvironmentAnswer& answer, const Sink& sink) {
  std::string out = "{";
  append_text(out, "schema", "accelport.env/1");
  append_key(out, "tool");
  out += "{\"name\":\"accelport\",\"version\":";
  append_json_string(out, version());
  out += '}';
  if (answer.machine != nullptr) append_machine(out, *answer.machine);
  if (answer.requirements != nullptr) append_requirements(out, answer);
  sink(out + "}\n");
}

}  // namespace accelport
