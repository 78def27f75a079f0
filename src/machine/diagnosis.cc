#include "machine/diagnosis.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/core.h>

#include "catalog/fields.h"
#include "catalog/toml.h"
#include "machine/probe_table.h"

namespace accelport {
namespace {

using namespace std::string_view_literals;

constexpr std::array kWeights{"error"sv, "warning"sv, "note"sv};
constexpr std::string_view kFile = "diagnosis.toml";

std::vector<FactTest> read_tests(Fields& fields, std::string_view key, FieldErrors& errors) {
  std::vector<FactTest> tests;
  for (const TomlValue* text : fields.text_values(key)) {
    auto test = FactTest::parse(text->text);
    if (!test) {
      errors.add(text->line, test.error().message, test.error().hint);
    } else {
      tests.push_back(std::move(*test));
    }
  }
  return tests;
}

Diagnosis read_diagnosis(const TomlValue& entry, FieldErrors& errors) {
  Fields fields(entry, "[[diagnosis]]", errors);
  Diagnosis row;
  row.id = fields.required_text("id");
  row.weight = static_cast<Weight>(fields.choice("weight", kWeights).value_or(0));
  row.when = read_tests(fields, "when", errors);
  row.any = read_tests(fields, "any", errors);
  if (row.when.empty() && row.any.empty()) fields.absence("[[diagnosis]] has neither 'when' nor 'any'");
  row.unless = fields.texts("unless");
  row.cause = fields.required_text("cause");
  row.evidence = fields.texts("evidence");
  row.mend = fields.texts("mend");
  row.semantic_facts = fields.texts("facts");
  row.source = fields.required_text("source");
  if (row.weight != Weight::note && row.mend.empty()) fields.absence("[[diagnosis]] has no 'mend'");
  fields.finish();
  return row;
}

Result<void> read_file(const DataFile& file, std::vector<Diagnosis>& table) {
  TRY(const TomlValue toml, parse_toml(file.bytes, file.path));
  FieldErrors errors{file.path, {}};
  Fields fields(toml, "the file", errors);
  if (fields.required_text("schema") != "accelport.diagnosis/1") fields.error("schema", "unknown 'schema'");
  for (const TomlValue* entry : fields.tables("diagnosis")) {
    Diagnosis row = read_diagnosis(*entry, errors);
    if (std::any_of(table.begin(), table.end(), [&](const Diagnosis& other) { return other.id == row.id; }))
      errors.add(entry->line, fmt::format("diagnosis '{}' is there twice", row.id));
    table.push_back(std::move(row));
  }
  fields.finish();
  if (errors.first) return tl::unexpected(std::move(*errors.first));
  return {};
}

std::vector<std::string> all_filled(const std::vector<std::string>& texts, const Facts& facts) {
  std::vector<std::string> out;
  for (const std::string& text : texts)
    if (auto line = filled(text, facts)) out.push_back(std::move(*line));
  return out;
}

bool holds(const Diagnosis& row, const Facts& facts, const std::set<std::string>& found) {
  const auto is_found = [&](const std::string& id) { return found.count(id) != 0; };
  if (std::any_of(row.unless.begin(), row.unless.end(), is_found) || !all_hold(row.when, facts)) return false;
  return row.any.empty() ||
         std::any_of(row.any.begin(), row.any.end(), [&](const FactTest& test) { return test.holds(facts); });
}

}  // namespace

std::string_view to_string(Weight weight) { return kWeights[static_cast<std::size_t>(weight)]; }

Result<std::vector<Diagnosis>> load_diagnoses(const std::string& kind, const std::string& platform,
                                              const std::vector<DataFile>& data) {
  std::vector<Diagnosis> table;
  std::vector<std::string> paths;
  if (!platform.empty()) paths.push_back(fmt::format("platforms/{}/{}", platform, kFile));
  if (!kind.empty()) paths.push_back(fmt::format("diagnosis-{}.toml", kind));
  paths.emplace_back(kFile);
  for (const std::string& path : paths)
    if (const DataFile* file = find_data_file(data, path)) TRY_DO(read_file(*file, table));
  return table;
}

std::vector<Finding> diagnose(const std::vector<Diagnosis>& table, const Facts& facts) {
  std::vector<Finding> findings;
  std::set<std::string> found;
  for (const Diagnosis& row : table) {
    if (!holds(row, facts, found)) continue;
    found.insert(row.id);
    findings.push_back({row.id, row.weight, filled(row.cause, facts).value_or(row.cause),
                        all_filled(row.evidence, facts), all_filled(row.mend, facts), row.semantic_facts, row.source});
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.weight < b.weight; });
  return findings;
}

}  // namespace accelport
