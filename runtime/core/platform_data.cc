#include "core/platform_data.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "catalog/fields.h"
#include "catalog/profile_values.h"
#include "catalog/toml.h"

namespace accelport::sim {
namespace {

constexpr std::string_view kOperatorsHeader = "operator\thow";
constexpr std::array<std::string_view, 3> kMessages = {"out_of_memory", "invalid_ordinal", "bad_fork"};

std::string last_part(const std::string& dotted) { return dotted.substr(dotted.rfind('.') + 1); }

Result<void> read_profile(const TomlValue& profile, std::string_view path, PlatformData& data) {
  data.name = profile.find("name") == nullptr ? "" : profile.find("name")->text;
  data.title = profile.find("title") == nullptr ? data.name : profile.find("title")->text;
  data.device_type = text_at(profile, "torch", "device_type");
  data.package = text_at(profile, "torch", "package");
  data.import_name = text_at(profile, "torch", "import");
  data.package_version = newest_release(profile);
  data.backend = text_at(profile, "distributed", "backend");
  data.process_group = last_part(text_at(profile, "distributed", "process_group_class"));
  data.visible_variable = text_at(profile, "visibility", "process");
  data.allocator_variable = text_at(profile, "variables", "allocator");
  data.version_name = last_part(text_at(profile, "torch", "version_attribute"));
  data.backends_name = last_part(text_at(profile, "torch", "backends_module"));
  for (const auto& [what, value] : {std::pair{"[torch] device_type", &data.device_type},
                                    {"[torch] import", &data.import_name},
                                    {"[distributed] backend", &data.backend},
                                    {"[visibility] process", &data.visible_variable}})
    if (value->empty())
      return fail(Error::Kind::data, fmt::format("the platform cannot be simulated without {}", what),
                  std::string(path));
  return {};
}

void read_card(const TomlValue& table, FieldErrors& errors, PlatformData& data) {
  Fields card(table, "[card]", errors);
  data.card = card.required_text("name");
  data.memory_mib = card.number("memory_mib", 1, 1 << 30).value_or(0);
  data.capability_major = card.number("capability_major", 0, 1000).value_or(0);
  data.capability_minor = card.number("capability_minor", 0, 1000).value_or(0);
  data.processors = card.number("processors", 1, 1 << 20).value_or(1);
  data.bfloat16 = card.flag("bfloat16").value_or(true);
  card.value("source");
  card.finish();
  if (data.memory_mib == 0) card.absence("a card needs its memory", "memory_mib = 49152, for example");
}

void read_messages(const TomlValue& table, FieldErrors& errors, PlatformData& data) {
  Fields messages(table, "[messages]", errors);
  for (const std::string_view key : kMessages)
    if (const auto text = messages.text(key)) data.messages[std::string(key)] = *text;
  messages.value("source");
  messages.finish();
}

void read_quirk(const TomlValue& table, FieldErrors& errors, PlatformData& data) {
  Fields row(table, "[[quirk]]", errors);
  Quirk quirk;
  quirk.id = row.required_text("id");
  quirk.text = row.required_text("text");
  quirk.source = row.required_text("source");
  quirk.changes_numbers = row.flag("changes_numbers").value_or(false);
  quirk.unverified = row.flag("unverified").value_or(false);
  quirk.operators = row.texts("operators");
  row.finish();
  data.quirks.push_back(std::move(quirk));
}

void read_limit(const TomlValue& table, FieldErrors& errors, PlatformData& data) {
  Fields row(table, "[[limit]]", errors);
  OperatorLimit limit;
  limit.operators = row.texts("operators");
  limit.dtypes = row.texts("dtypes");
  limit.message = row.required_text("message");
  limit.source = row.required_text("source");
  row.finish();
  if (limit.operators.empty() || limit.dtypes.empty()) row.absence("a limit is about operators and dtypes");
  data.limits.push_back(std::move(limit));
}

}  // namespace

Result<PlatformData> parse_platform(std::string_view profile, std::string_view profile_path, std::string_view simulator,
                                    std::string_view simulator_path) {
  PlatformData data;
  TRY(const TomlValue identity, parse_toml(profile, profile_path));
  TRY_DO(read_profile(identity, profile_path, data));
  TRY(const TomlValue file, parse_toml(simulator, simulator_path));
  FieldErrors errors{std::string(simulator_path), {}};
  Fields top(file, "the file", errors);
  if (top.required_text("schema") != "accelport.simulator/1")
    top.error("schema", "this version reads accelport.simulator/1");
  if (const TomlValue* card = top.value("card"))
    read_card(*card, errors, data);
  else
    top.absence("[card] is missing");
  if (const TomlValue* messages = top.value("messages")) read_messages(*messages, errors, data);
  for (const TomlValue* quirk : top.tables("quirk")) read_quirk(*quirk, errors, data);
  for (const TomlValue* limit : top.tables("limit")) read_limit(*limit, errors, data);
  top.finish();
  if (errors.first) return tl::unexpected(std::move(*errors.first));
  return data;
}

Result<std::vector<OperatorRow>> parse_operators(std::string_view bytes, std::string_view path) {
  std::vector<OperatorRow> rows;
  int line = 0;
  while (!bytes.empty()) {
    const std::string_view text = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(bytes.size(), text.size() + 1));
    if (++line == 1 ? text != kOperatorsHeader : text.find('\t') == std::string_view::npos)
      return fail(Error::Kind::data, "not a row of operators", fmt::format("{}:{}", path, line),
                  "the first line is 'operator<TAB>how', each other an operator and kernel or delegate");
    if (line == 1) continue;
    const std::size_t tab = text.find('\t');
    rows.push_back({std::string(text.substr(0, tab)), text.substr(tab + 1) == "delegate"});
  }
  return rows;
}

std::string filled(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    text.remove_prefix(open);
    const std::size_t close = text.find('}');
    const auto value = values.find(std::string(text.substr(1, close == std::string_view::npos ? 0 : close - 1)));
    out += value == values.end() ? text.substr(0, 1) : std::string_view(value->second);
    text.remove_prefix(value == values.end() ? 1 : close + 1);
  }
  return out;
}

}  // namespace accelport::sim
