#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "catalog/fields.h"
#include "catalog/load.h"
#include "catalog/toml.h"

namespace accelport {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kApiHeader = "cuda\ttarget\tneutral\tneutral_since\tstatus\tnote\tsource";
constexpr std::size_t kApiCells = 7;
constexpr std::array kStatuses{"same-shape"sv, "semantic-difference"sv, "missing"sv, "nvidia-only"sv, "other-vendor"sv};
constexpr std::array kCounterparts{"variable"sv, "tool"sv, "option"sv, "library"sv, "package"sv, "path"sv};
constexpr std::array kFinders{"static"sv, "runtime"sv, "both"sv};
constexpr std::array kSeverities{"none"sv, "silent"sv, "error"sv, "hang"sv};

template <std::size_t N>
std::string read_word(Fields& fields, std::string_view key, const std::array<std::string_view, N>& names) {
  if (!fields.has(key)) return fields.required_text(key);
  const auto index = fields.choice(key, names);
  return index ? std::string(names[*index]) : std::string();
}

void check_schema(Fields& fields, std::string_view wanted) {
  const std::string schema = fields.required_text("schema");
  if (!schema.empty() && schema != wanted)
    fields.error("schema", fmt::format("unknown 'schema' \"{}\"", escape_for_display(schema)), std::string(wanted));
}

Counterpart read_counterpart(const TomlValue& table, FieldErrors& errors) {
  Fields fields(table, "[[counterpart]]", errors);
  Counterpart out;
  out.kind = read_word(fields, "kind", kCounterparts);
  out.cuda = fields.required_text("cuda");
  if (!fields.has("target")) fields.absence("[[counterpart]] has no 'target'", "target = \"\" says that there is none");
  out.target = fields.text("target").value_or("");
  if (const auto values = fields.text("values")) {
    auto pattern = Pattern::compile(*values);
    if (!pattern) {
      fields.error("values", fmt::format("'values' is no regular expression: {}", pattern.error().message));
    } else if (out.kind != "variable") {
      fields.error("values", "'values' goes with the kind 'variable' only");
    } else {
      out.values = std::move(*pattern);
    }
  }
  out.note = fields.text("note").value_or("");
  out.source = fields.required_text("source");
  fields.finish();
  return out;
}

/// A text of one of the profile's tables; the tables' other keys are for other readers.
std::string read_inner(Fields& profile, std::string_view table, std::string_view key, FieldErrors& errors) {
  const auto tables = profile.tables(table);
  if (tables.size() == 1) return Fields(*tables.front(), fmt::format("[{}]", table), errors).required_text(key);
  profile.absence(fmt::format("the profile has no [{}]", table));
  return {};
}

/// The last part of the member's dotted name; the platform may have none.
std::string activity_of(const TomlValue& profile) {
  const TomlValue* torch = profile.find("torch");
  const TomlValue* name = torch == nullptr ? nullptr : torch->find("profiler_activity");
  return name == nullptr ? std::string() : name->text.substr(name->text.rfind('.') + 1);
}

/// A text that a profile may leave out.
std::string optional_text(const TomlValue* table, std::string_view key) {
  const TomlValue* value = table == nullptr ? nullptr : table->find(key);
  return value == nullptr ? std::string() : value->text;
}

void read_packages(const TomlValue& profile, Platform& platform) {
  const TomlValue* torch = profile.find("torch");
  platform.package = optional_text(torch, "package");
  platform.container = optional_text(profile.find("visibility"), "container");
  platform.wheel_note = optional_text(profile.find("build"), "wheel_note");
  const TomlValue* releases = torch == nullptr ? nullptr : torch->find("release");
  if (releases == nullptr) return;
  for (const TomlValue& release : releases->items)
    platform.releases.push_back({optional_text(&release, "package"), optional_text(&release, "torch")});
}

Result<void> load_profile(const DataFile& file, Platform& platform) {
  TRY(platform.profile, parse_toml(file.bytes, file.path));
  FieldErrors errors{file.path, {}};
  Fields fields(platform.profile, "the profile", errors);
  check_schema(fields, "accelport.profile/1");
  if (fields.required_text("name") != platform.name) {
    fields.error("name", "'name' differs from the folder's name", fmt::format("name = \"{}\"", platform.name));
  }
  fields.required_text("vendor");
  platform.title = fields.required_text("title");
  platform.device = read_inner(fields, "torch", "device_type", errors);
  platform.backend = read_inner(fields, "distributed", "backend", errors);
  platform.visibility = read_inner(fields, "visibility", "process", errors);
  platform.plug_in = read_inner(fields, "torch", "import", errors);
  platform.collective_prefix = read_inner(fields, "distributed", "variable_prefix", errors);
  platform.activity = activity_of(platform.profile);
  read_packages(platform.profile, platform);
  for (const std::string_view other : {"variables"sv, "build"sv, "hardware"sv}) fields.tables(other);
  for (const TomlValue* table : fields.tables("counterpart"))
    platform.counterparts.push_back(read_counterpart(*table, errors));
  fields.finish();
  if (errors.first) return tl::unexpected(std::move(*errors.first));
  return {};
}

SemanticFact read_fact(const TomlValue& table, FieldErrors& errors) {
  Fields fields(table, "[[fact]]", errors);
  SemanticFact fact;
  fact.id = fields.required_text("id");
  if (!fields.has("severity")) fields.required_text("severity");
  fact.severity = static_cast<Severity>(fields.choice("severity", kSeverities).value_or(0));
  fact.finder = read_word(fields, "finder", kFinders);
  for (const TomlValue* api : fields.text_values("apis", true)) fact.apis.push_back(api->text);
  fact.text = fields.required_text("text");
  fact.verified = fields.flag("verified").value_or(true);
  fact.source = fields.required_text("source");
  fields.finish();
  return fact;
}

Result<void> load_facts(const DataFile& file, Platform& platform) {
  TRY(const TomlValue table, parse_toml(file.bytes, file.path));
  FieldErrors errors{file.path, {}};
  Fields fields(table, "the file", errors);
  check_schema(fields, "accelport.semantics/1");
  for (const TomlValue* entry : fields.tables("fact")) {
    SemanticFact fact = read_fact(*entry, errors);
    const auto same = [&](const SemanticFact& other) { return other.id == fact.id; };
    if (std::any_of(platform.facts.begin(), platform.facts.end(), same)) {
      errors.add(entry->line, fmt::format("fact '{}' is there twice", escape_for_display(fact.id)));
    }
    const auto number = static_cast<std::uint32_t>(platform.facts.size());
    for (const std::string& api : fact.apis) platform.fact_index.add(api, number);
    platform.facts.push_back(std::move(fact));
  }
  fields.finish();
  if (errors.first) return tl::unexpected(std::move(*errors.first));
  return {};
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + separator.size());
  }
}

void read_api_row(std::string_view line, int number, Platform& platform, FieldErrors& errors) {
  const auto cells = split(line, "\t");
  if (cells.size() != kApiCells) {
    return errors.add(number, fmt::format("the row has {} cells", cells.size()),
                      fmt::format("{} cells divided by tabs", kApiCells));
  }
  for (const std::string_view cell : cells) {
    if (trim(cell) != cell) errors.add(number, fmt::format("blanks around '{}'", escape_for_display(cell)));
  }
  const auto text = [&cells](std::size_t i) { return std::string(cells[i]); };
  ApiRow row{text(0), text(1), text(2), text(3), text(4), text(5), text(6)};
  if (row.cuda.empty() || row.source.empty()) errors.add(number, "'cuda' and 'source' must not be empty");
  if (std::find(kStatuses.begin(), kStatuses.end(), row.status) == kStatuses.end()) {
    errors.add(number, fmt::format("unknown status '{}'", escape_for_display(row.status)),
               suggestion(row.status, kStatuses));
  }
  if (const ApiRow* same = platform.find_api(row.cuda); same != nullptr && same->cuda == row.cuda) {
    errors.add(number, fmt::format("'{}' has a row already", escape_for_display(row.cuda)));
  }
  const auto index = static_cast<std::uint32_t>(platform.api.size());
  for (const std::string_view name : split(row.cuda, " | ")) platform.api_index.add(name, index);
  platform.api.push_back(std::move(row));
}

Result<void> load_api(const DataFile& file, Platform& platform) {
  FieldErrors errors{file.path, {}};
  std::string_view text = file.bytes;
  if (!is_utf8(text)) errors.add(1, "the file is not UTF-8");
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const auto lines = split(text, "\n");
  if (lines.front() != kApiHeader) errors.add(1, "the first line must name the columns", std::string(kApiHeader));
  for (std::size_t i = 1; i < lines.size() && !errors.first; ++i)
    read_api_row(lines[i], static_cast<int>(i) + 1, platform, errors);
  if (errors.first) return tl::unexpected(std::move(*errors.first));
  return {};
}

AdapterLimit read_limit(const TomlValue& table, FieldErrors& errors) {
  Fields fields(table, "[[limit]]", errors);
  AdapterLimit limit;
  limit.api = fields.required_text("api");
  limit.text = fields.required_text("text");
  limit.check = fields.text("check").value_or("");
  limit.of = fields.text("of").value_or("");
  limit.source = fields.required_text("source");
  fields.finish();
  return limit;
}

Result<void> load_adapter(const DataFile& file, Platform& platform) {
  TRY(const TomlValue table, parse_toml(file.bytes, file.path));
  FieldErrors errors{file.path, {}};
  Fields fields(table, "the file", errors);
  check_schema(fields, "accelport.adapter/1");
  Adapter adapter;
  const auto tables = fields.tables("adapter");
  if (tables.size() != 1) fields.absence("the file has no [adapter]");
  if (tables.size() == 1) {
    Fields inner(*tables.front(), "[adapter]", errors);
    adapter.name = inner.required_text("name");
    adapter.module = inner.required_text("import");
    for (const std::string_view key : {"package"sv, "vendor"sv, "import_order"sv, "source"sv}) inner.required_text(key);
    inner.finish();
  }
  for (const TomlValue* limit : fields.tables("limit")) adapter.limits.push_back(read_limit(*limit, errors));
  fields.finish();
  if (errors.first) return tl::unexpected(std::move(*errors.first));
  platform.adapter = std::move(adapter);
  return {};
}

}  // namespace

Result<Platform> load_platform(std::string_view name, const std::vector<DataFile>& files) {
  const std::string folder = fmt::format("platforms/{}/", name);
  const auto find = [&](std::string_view file) -> const DataFile* {
    const auto at = std::find_if(files.begin(), files.end(),
                                 [&](const DataFile& f) { return f.path == folder + std::string(file); });
    return at == files.end() ? nullptr : &*at;
  };
  Platform platform;
  platform.name = name;
  const DataFile* profile = find("profile.toml");
  if (profile == nullptr) {
    return fail(Error::Kind::data, fmt::format("platform '{}' has no profile.toml", escape_for_display(name)),
                folder + "profile.toml");
  }
  TRY_DO(load_profile(*profile, platform));
  if (const DataFile* facts = find("semantics.toml")) TRY_DO(load_facts(*facts, platform));
  if (const DataFile* api = find("python_api.tsv")) TRY_DO(load_api(*api, platform));
  if (const DataFile* adapter = find("adapter.toml")) TRY_DO(load_adapter(*adapter, platform));
  return platform;
}

}  // namespace accelport
