#include "machine/environment.h"

#include <algorithm>

#include <fmt/core.h>

namespace accelport {
namespace {

std::vector<std::pair<std::string, std::string>> about_machine(const ProbeTable& table, const Facts& facts) {
  std::vector<std::pair<std::string, std::string>> about;
  for (const AboutLine& line : table.about) {
    for (const std::string& text : line.texts) {
      const auto known = filled(text, facts);
      if (!known) continue;
      about.emplace_back(line.label, *known);
      break;
    }
  }
  return about;
}

std::string name_of(const RunTarget& target) {
  if (target.kind == RunTarget::Kind::cpu) return "cpu";
  return target.kind == RunTarget::Kind::origin ? "cuda" : target.platform;
}

/// A virtual environment in the current folder that is not active. It is named, never run: the folder may be anyone's.
std::string environment_beside(const Files& files) {
  if (!environment_variable("VIRTUAL_ENV").empty()) return {};
  for (const std::string folder : {".venv", "venv"})
    if (files.info(folder + "/bin/python")) return folder;
  return {};
}

std::string variable_of(const std::string& name) { return environment_variable(name.c_str()); }

}  // namespace

std::size_t EnvironmentReport::count(Weight weight) const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.weight == weight; }));
}

std::vector<std::string> probed_platforms(const std::vector<DataFile>& data) {
  std::vector<std::string> names = platform_names(data);
  const auto has_none = [&](const std::string& name) {
    return find_data_file(data, fmt::format("platforms/{}/probes.toml", name)) == nullptr;
  };
  names.erase(std::remove_if(names.begin(), names.end(), has_none), names.end());
  return names;
}

Result<EnvironmentReport> examine_environment(const RunTarget& target, const EnvironmentWorld& world) {
  if (target.kind == RunTarget::Kind::simulated)
    return fail(Error::Kind::usage, "env asks this machine, and a simulated card is none of it", "--on",
                fmt::format("--on {} for the real card, or --on cpu", target.platform));
  const bool is_card = target.kind == RunTarget::Kind::card;
  const std::string platform = is_card ? target.platform : "";
  TRY(ProbeTable table, load_probes(platform, world.data));
  if (const std::string beside = environment_beside(world.files); !beside.empty())
    table.constants["beside.environment"] = beside;
  TRY(const std::vector<Diagnosis> rows, load_diagnoses(is_card ? "" : name_of(target), platform, world.data));

  const std::string temporary = environment_variable("TMPDIR");
  TRY(const std::string folder,
      world.files.make_private_folder(join_path(temporary.empty() ? "/tmp" : temporary, "accelport-env-")));
  EnvironmentReport report;
  report.target = name_of(target);
  report.machine = ask_machine(table, {world.files, world.processes, world.data, variable_of, find_program, folder});
  static_cast<void>(remove_tree(folder, world.files));  // a probe that was left behind may hold it still
  const Facts& facts = report.machine.facts;
  report.title = facts.has("platform.title") ? facts.get("platform.title") : report.target;
  report.about = about_machine(table, facts);
  report.findings = diagnose(rows, facts);
  return report;
}

}  // namespace accelport
