#include "machine/probe_table.h"

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/core.h>

#include "catalog/fields.h"
#include "catalog/profile_values.h"
#include "catalog/toml.h"

namespace accelport {
namespace {

using namespace std::string_view_literals;

constexpr std::array kTakes{"first"sv, "all"sv, "sum"sv};
constexpr int kMostSeconds = 600;
constexpr std::string_view kFile = "probes.toml";

/// Reads one file into the table; what is wrong with it goes to `errors`.
class ProbeReader {
 public:
  ProbeReader(ProbeTable& table, FieldErrors& errors) : table_(table), errors_(errors) {}

  void read(const TomlValue& file) {
    Fields fields(file, "the file", errors_);
    if (fields.required_text("schema") != "accelport.probes/1") fields.error("schema", "unknown 'schema'");
    for (std::string& name : fields.texts("variables")) table_.variables.push_back(std::move(name));
    read_names(fields);
    if (const TomlValue* platform = fields.value("platform"))
      for (const TomlMember& member : platform->members) table_.constants["platform." + member.key] = member.value.text;
    for (const TomlValue* entry : fields.tables("about")) read_about(*entry);
    for (const TomlValue* entry : fields.tables("probe")) read_probe(*entry);
    fields.finish();
  }

 private:
  void read_names(Fields& fields) {
    const TomlValue* all = fields.value("names");
    if (all == nullptr) return;
    for (const TomlMember& member : all->members) {
      auto names = std::make_unique<std::map<std::string, std::string>>();
      for (const TomlMember& entry : member.value.members) (*names)[entry.key] = entry.value.text;
      named_[member.key] = names.get();
      table_.names.push_back(std::move(names));
    }
  }

  void read_about(const TomlValue& entry) {
    Fields fields(entry, "[[about]]", errors_);
    AboutLine line{fields.required_text("label"), fields.texts("text")};
    fields.finish();
    table_.about.push_back(std::move(line));
  }

  void read_probe(const TomlValue& entry) {
    Fields fields(entry, "[[probe]]", errors_);
    Probe probe;
    probe.id = fields.required_text("id");
    probe.title = fields.required_text("title");
    probe.programs = fields.texts("program");
    probe.arguments = fields.texts("arguments");
    probe.script = fields.text("script").value_or("");
    if (const auto seconds = fields.number("seconds", 1, kMostSeconds))
      probe.time_limit = std::chrono::seconds(*seconds);
    probe.error_counts = fields.flag("errors").value_or(false);
    for (const TomlValue* test : fields.text_values("when")) {
      auto parsed = FactTest::parse(test->text);
      if (!parsed) {
        errors_.add(test->line, parsed.error().message, parsed.error().hint);
      } else {
        probe.when.push_back(std::move(*parsed));
      }
    }
    if (probe.programs.empty()) fields.absence("[[probe]] has no 'program'");
    for (const TomlValue* read : fields.tables("read")) read_pattern(*read, probe);
    fields.finish();
    table_.probes.push_back(std::move(probe));
  }

  void read_pattern(const TomlValue& entry, Probe& probe) {
    Fields fields(entry, "[[probe.read]]", errors_);
    ProbeRead read;
    auto pattern = CapturePattern::compile(fields.required_text("pattern"));
    if (!pattern) {
      fields.error("pattern", pattern.error().message, pattern.error().hint);
    } else {
      read.pattern = std::move(*pattern);
    }
    if (const auto take = fields.choice("take", kTakes)) read.take = static_cast<ProbeRead::Take>(*take);
    read.count = fields.text("count").value_or("");
    read.as = fields.text("as").value_or("");
    if (const auto names = fields.text("names")) {
      const auto known = named_.find(*names);
      if (known == named_.end()) fields.error("names", fmt::format("there is no [names.{}]", *names));
      read.names = known == named_.end() ? nullptr : known->second;
      if (read.as.empty() || !pattern || read.pattern.names().size() != 1)
        fields.error("names", "'names' needs 'as' and a pattern with one group");
    }
    if (const TomlValue* set = fields.value("set"))
      for (const TomlMember& member : set->members) read.set.emplace_back(member.key, member.value.text);
    fields.finish();
    if (pattern) probe.reads.push_back(std::move(read));
  }

  ProbeTable& table_;
  FieldErrors& errors_;
  std::map<std::string, const std::map<std::string, std::string>*> named_;
};

Result<void> read_file(const DataFile& file, ProbeTable& table) {
  TRY(const TomlValue toml, parse_toml(file.bytes, file.path));
  FieldErrors errors{file.path, {}};
  ProbeReader(table, errors).read(toml);
  if (errors.first) return tl::unexpected(std::move(*errors.first));
  return {};
}

/// What probes and texts may ask of the platform's profile.
void read_constants(const std::string& name, const TomlValue& profile, ProbeTable& table) {
  auto& constants = table.constants;
  constants["platform.name"] = name;
  if (const TomlValue* title = profile.find("title")) constants["platform.title"] = title->text;
  constants["platform.device"] = text_at(profile, "torch", "device_type");
  constants["platform.plug_in"] = text_at(profile, "torch", "import");
  constants["platform.package"] = text_at(profile, "torch", "package");
  constants["platform.backend"] = text_at(profile, "distributed", "backend");
  constants["platform.visibility"] = text_at(profile, "visibility", "process");
}

}  // namespace

Result<ProbeTable> load_probes(const std::string& platform, const std::vector<DataFile>& data) {
  ProbeTable table;
  const DataFile* general = find_data_file(data, kFile);
  if (general == nullptr) return fail(Error::Kind::data, "the knowledge has no probes", std::string(kFile));
  TRY_DO(read_file(*general, table));
  if (platform.empty()) return table;
  const std::string folder = fmt::format("platforms/{}/", platform);
  if (const DataFile* profile = find_data_file(data, folder + "profile.toml")) {
    TRY(const TomlValue toml, parse_toml(profile->bytes, profile->path));
    read_constants(platform, toml, table);
  }
  const DataFile* own = find_data_file(data, folder + std::string(kFile));
  if (own == nullptr)
    return fail(Error::Kind::usage, fmt::format("no probes are known for '{}'", platform), folder + std::string(kFile));
  TRY_DO(read_file(*own, table));
  return table;
}

}  // namespace accelport
