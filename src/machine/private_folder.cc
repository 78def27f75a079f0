#include "machine/private_folder.h"

#include <set>
#include <string_view>

#include <fmt/core.h>

#include "base/json_text.h"

namespace accelport {
namespace {

constexpr std::string_view kSource = "simulator/";  // of the Python side in the knowledge
constexpr std::string_view kPackage = "_accelport_simulator";
constexpr std::string_view kPlatform = "platform";

std::string metadata(std::string_view name, std::string_view version) {
  return fmt::format("Metadata-Version: 2.1\nName: {}\nVersion: {}\nSummary: Part of a simulated run of accelport.\n",
                     name, version);
}

std::string stand_in(const SimulatedPlatform& platform) {
  return fmt::format(
      "\"\"\"Stands in for the vendor's package in a simulated run.\n\n"
      "`import torch` has set the card up already, unless it was told to load no back ends.\n\"\"\"\n\n"
      "import sys\n\nimport torch\nfrom {} import activate\n\n"
      "activate()\nsys.modules[__name__] = torch.{}\n",
      kPackage, platform.device);
}

class JsonObject {
 public:
  void text(std::string_view key, std::string_view value) {
    name(key);
    append_json_string(out_, value);
  }
  void number(std::string_view key, std::uint64_t value) {
    name(key);
    out_ += std::to_string(value);
  }
  void texts(std::string_view key, const std::vector<std::string>& values) {
    name(key);
    out_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i != 0) out_ += ", ";
      append_json_string(out_, values[i]);
    }
    out_ += ']';
  }
  std::string finish() { return out_ + "}\n"; }

 private:
  void name(std::string_view key) {
    out_ += out_.size() > 1 ? ", " : "";
    append_json_string(out_, key);
    out_ += ": ";
  }
  std::string out_ = "{";
};

std::string settings_text(const SimulationSettings& settings, const std::string& folder) {
  JsonObject out;
  out.text("platform", join_path(folder, kPlatform));
  out.text("binaries", settings.binaries);
  out.text("reports", join_path(folder, kReportFolder));
  out.number("devices", static_cast<std::uint64_t>(settings.devices));
  out.number("memory", settings.memory);
  out.text("strictness", settings.strictness);
  out.text("fidelity", settings.fidelity);
  out.text("faults", settings.faults);
  out.texts("without", settings.without);
  return out.finish();
}

}  // namespace

std::map<std::string, std::string> private_folder_files(const SimulatedPlatform& platform,
                                                        const SimulationSettings& settings, const std::string& folder,
                                                        const std::vector<DataFile>& data) {
  std::map<std::string, std::string> out;
  for (const DataFile& file : data)
    if (file.path.rfind(kSource, 0) == 0)
      out[fmt::format("{}/{}", kPackage, file.path.substr(kSource.size()))] = std::string(file.bytes);
  const std::string own = "accelport_simulated-0.dist-info/";
  out[own + "METADATA"] = metadata("accelport_simulated", "0");
  out[own + "entry_points.txt"] = fmt::format("[torch.backends]\naccelport_simulated = {}:activate\n", kPackage);
  const std::string release = platform.release + "+simulated";
  out[fmt::format("{}-{}.dist-info/METADATA", platform.package, release)] = metadata(platform.package, release);
  out[platform.plug_in + "/__init__.py"] = stand_in(platform);
  for (const auto& [name, bytes] : platform.files) out[fmt::format("{}/{}", kPlatform, name)] = bytes;
  out[std::string(kSettingsFile)] = settings_text(settings, folder);
  return out;
}

Result<void> write_private_folder(const std::map<std::string, std::string>& contents, const std::string& folder,
                                  const EditableFiles& files) {
  std::set<std::string> made;
  TRY_DO(files.make_folder(join_path(folder, kReportFolder)));
  for (const auto& [path, bytes] : contents) {
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
      if (const std::string parent = path.substr(0, slash); made.insert(parent).second)
        TRY_DO(files.make_folder(join_path(folder, parent)));
    TRY_DO(files.create(join_path(folder, path), bytes, 0644));
  }
  return {};
}

}  // namespace accelport
