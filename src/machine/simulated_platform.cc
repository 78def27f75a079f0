#include "machine/simulated_platform.h"

#include <array>
#include <string_view>

#include <fmt/core.h>

#include "catalog/profile_values.h"
#include "catalog/toml.h"
#include "machine/target.h"

namespace accelport {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 24;
constexpr std::string_view kProfile = "profile.toml";
constexpr std::string_view kSimulator = "simulator.toml";
constexpr std::string_view kOperators = "operators.tsv";
/// The last one may be missing: names are then those of torch's first accelerator.
constexpr std::array<std::string_view, 4> kFiles = {kProfile, kSimulator, kOperators, "python_api.tsv"};

Result<std::map<std::string, std::string>> embedded_files_of(const std::string& name,
                                                             const std::vector<DataFile>& data) {
  std::map<std::string, std::string> found;
  const std::string folder = fmt::format("platforms/{}/", name);
  for (const DataFile& file : data)
    for (const std::string_view wanted : kFiles)
      if (file.path == folder + std::string(wanted)) found[std::string(wanted)] = std::string(file.bytes);
  return found;
}

Result<std::map<std::string, std::string>> folder_files(const std::string& folder, const Files& files) {
  std::map<std::string, std::string> found;
  TRY(const std::vector<DirectoryEntry> entries, files.list(folder));
  for (const DirectoryEntry& entry : entries) {
    for (const std::string_view wanted : kFiles) {
      if (entry.name != wanted) continue;
      ByteBuffer buffer;
      TRY_DO(files.read(join_path(folder, entry.name), kMostBytes, buffer));
      found[entry.name] = std::string(buffer.view());
    }
  }
  return found;
}

Result<void> check_name(std::string_view text, std::string_view what, const std::string& place) {
  for (const char c : text)
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_' && !(c >= 'A' && c <= 'Z'))
      return fail(Error::Kind::data, fmt::format("{} must be a plain name", what), place);
  if (!text.empty() && !(text[0] >= '0' && text[0] <= '9')) return {};
  return fail(Error::Kind::data, fmt::format("{} must be a plain name", what), place);
}

}  // namespace

Result<SimulatedPlatform> read_simulated_platform(const std::string& name, const std::vector<DataFile>& data,
                                                  const Files& files) {
  SimulatedPlatform platform;
  const bool is_folder = name.find('/') != std::string::npos;
  TRY(platform.files, is_folder ? folder_files(name, files) : embedded_files_of(name, data));
  const std::string place = is_folder ? name : "platforms/" + name;
  for (const std::string_view wanted : {kProfile, kSimulator, kOperators})
    if (platform.files.count(std::string(wanted)) == 0)
      return fail(Error::Kind::data, fmt::format("the platform cannot be simulated without {}", wanted), place,
                  "docs/data-formats.md says what it holds");
  TRY(const TomlValue profile, parse_toml(platform.files[std::string(kProfile)], join_path(place, kProfile)));
  TRY(const TomlValue simulator, parse_toml(platform.files[std::string(kSimulator)], join_path(place, kSimulator)));
  platform.name = profile.find("name") == nullptr ? "" : profile.find("name")->text;
  platform.title = profile.find("title") == nullptr ? platform.name : profile.find("title")->text;
  platform.device = text_at(profile, "torch", "device_type");
  platform.plug_in = text_at(profile, "torch", "import");
  platform.package = text_at(profile, "torch", "package");
  platform.release = newest_release(profile);
  platform.card = text_at(simulator, "card", "name");
  const TomlValue* memory = value_at(simulator, "card", "memory_mib");
  platform.memory = memory == nullptr ? 0 : static_cast<std::uint64_t>(memory->integer) << 20;
  if (const TomlValue* quirks = simulator.find("quirk"))
    for (const TomlValue& quirk : quirks->items)
      if (const TomlValue* id = quirk.find("id")) platform.quirks.push_back(id->text);
  TRY_DO(check_name(platform.device, "[torch] device_type", join_path(place, kProfile)));
  TRY_DO(check_name(platform.plug_in, "[torch] import", join_path(place, kProfile)));
  if (platform.memory == 0) return fail(Error::Kind::data, "[card] needs memory_mib", join_path(place, kSimulator));
  return platform;
}

Result<std::vector<std::string>> visibility_variables(const std::vector<DataFile>& data) {
  std::vector<std::string> variables;
  for (const std::string& name : platform_names(data)) {
    TRY(const auto files, embedded_files_of(name, data));
    const auto profile = files.find(std::string(kProfile));
    if (profile == files.end()) continue;
    TRY(const TomlValue table, parse_toml(profile->second, "platforms/" + name));
    if (std::string variable = text_at(table, "visibility", "process"); !variable.empty())
      variables.push_back(std::move(variable));
  }
  return variables;
}

}  // namespace accelport
