#include "audit/baseline.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "audit/decide.h"
#include "base/hash.h"

namespace accelport {
namespace {

using Json = nlohmann::json;

/// `text` comes from a source or, with bytes replaced that JSON cannot hold, from a baseline: both must hash alike.
std::uint64_t content_of(std::string_view rule, std::string_view text) {
  Hasher hasher;
  hasher.add(rule);
  if (is_utf8(text)) return hasher.add(text).digest();
  return hasher.add(Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>())
      .digest();
}

std::string_view rule_id(const Occurrence& occurrence) {
  return occurrence.rule == nullptr ? std::string_view() : std::string_view(occurrence.rule->id);
}

std::string string_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

void Baseline::add(std::string id, std::string_view rule, std::string_view text) {
  entries_.push_back({std::move(id), content_of(rule, text)});
}

Result<Baseline> Baseline::parse(std::string_view json, const std::string& place) {
  const Json root = Json::parse(json, nullptr, false);
  if (root.is_discarded()) return fail(Error::Kind::data, "not valid JSON", place, "write it with --write-baseline");
  const std::string schema = root.is_object() ? string_of(root, "schema") : std::string();
  if (schema != "accelport.baseline/1" && schema != "accelport.audit/1")
    return fail(Error::Kind::data, fmt::format("'{}' is no baseline", schema), place, "write it with --write-baseline");
  const auto list = root.find("occurrences");
  if (list == root.end() || !list->is_array()) return fail(Error::Kind::data, "'occurrences' is missing", place);
  Baseline baseline;
  for (const Json& entry : *list)
    if (entry.is_object()) baseline.add(string_of(entry, "id"), string_of(entry, "rule"), string_of(entry, "text"));
  return baseline;
}

Baseline Baseline::of(const Audit& audit) {
  Baseline baseline;
  for (const AuditedFile& file : audit.files)
    for (const Occurrence& occurrence : file.occurrences)
      baseline.add(occurrence.id, rule_id(occurrence), occurrence.text);
  return baseline;
}

void Baseline::mark(Audit& audit) const {
  std::unordered_multimap<std::string_view, std::size_t> by_id;
  for (std::size_t i = 0; i < entries_.size(); ++i) by_id.emplace(entries_[i].id, i);
  std::vector<bool> used(entries_.size());
  std::vector<Occurrence*> rest;
  for (AuditedFile& file : audit.files)
    for (Occurrence& occurrence : file.occurrences) {
      const auto known = by_id.find(occurrence.id);
      occurrence.baseline = known != by_id.end() && !used[known->second];
      if (occurrence.baseline) {
        used[known->second] = true;
      } else {
        rest.push_back(&occurrence);
      }
    }
  std::unordered_map<std::uint64_t, std::size_t> left;
  for (std::size_t i = 0; i < entries_.size(); ++i) left[entries_[i].content] += !used[i];
  for (Occurrence* occurrence : rest) {
    const auto known = left.find(content_of(rule_id(*occurrence), occurrence->text));
    occurrence->baseline = known != left.end() && known->second > 0;
    if (occurrence->baseline) --known->second;
  }
  for (const AuditedFile& file : audit.files)
    for (const Occurrence& occurrence : file.occurrences) audit.baseline_matched += occurrence.baseline;
}

std::string write_baseline(const Audit& audit) {
  nlohmann::ordered_json root;
  root["schema"] = "accelport.baseline/1";
  auto& list = root["occurrences"] = nlohmann::ordered_json::array();
  for (const AuditedFile& file : audit.files)
    for (const Occurrence& occurrence : file.occurrences)
      if (needs_work(occurrence))
        list.push_back({{"id", occurrence.id}, {"rule", rule_id(occurrence)}, {"text", occurrence.text}});
  return root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::vector<PersonDecision>> parse_decisions(std::string_view json_lines, const std::string& place) {
  std::vector<PersonDecision> decisions;
  int number = 0;
  while (!json_lines.empty()) {
    const std::size_t end = json_lines.find('\n');
    const std::string_view line = trim(json_lines.substr(0, end));
    json_lines.remove_prefix(end == std::string_view::npos ? json_lines.size() : end + 1);
    const std::string here = fmt::format("{}:{}", place, ++number);
    if (line.empty()) continue;
    const Json row = Json::parse(line, nullptr, false);
    if (row.is_discarded() || !row.is_object())
      return fail(Error::Kind::data, "not a JSON object", here, "one object a line");
    if (string_of(row, "who") != "person") continue;  // what the rules decided is decided anew
    const auto decision = parse_decision(string_of(row, "decision"));
    if (!decision)
      return fail(Error::Kind::data, fmt::format("'{}' is no decision", string_of(row, "decision")), here,
                  "write abstract, retain, replace, fallback, unsupported or ignore");
    decisions.push_back({string_of(row, "id"), *decision, string_of(row, "reason"), string_of(row, "machine").empty()});
  }
  return decisions;
}

}  // namespace accelport
