#include "machine/run.h"

#include <algorithm>

#include <fmt/core.h>

#include "machine/private_folder.h"
#include "machine/run_report.h"
#include "machine/simulated_platform.h"

namespace accelport {
namespace {

constexpr std::string_view kPythonEnding = ".py";
constexpr std::string_view kSearchVariable = "PYTHONPATH";
constexpr std::string_view kOriginVariable = "CUDA_VISIBLE_DEVICES";
constexpr int kExitOwnFailure = 125;

/// The interpreter of the activated virtual environment, of one that lies here, or of PATH.
std::string find_python(const Files& files) {
  std::vector<std::string> places;
  if (const std::string active = environment_variable("VIRTUAL_ENV"); !active.empty()) places.push_back(active);
  places.insert(places.end(), {"./.venv", "./venv"});
  for (const std::string& place : places)
    if (const std::string python = place + "/bin/python"; files.info(python)) return python;
  return find_program("python3");
}

/// The words to start; a script is given to Python.
Result<std::vector<std::string>> command_of(const RunRequest& request, const RunWorld& world) {
  std::vector<std::string> command = request.program;
  const std::string& first = command.front();
  if (first.size() > kPythonEnding.size() && first.substr(first.size() - kPythonEnding.size()) == kPythonEnding) {
    const std::string python = find_python(world.files);
    if (python.empty())
      return fail(Error::Kind::system, "no Python to run the script with", first,
                  "activate a virtual environment, or name one: -- /path/to/python " + first);
    if (!request.quiet) world.say(fmt::format("{} runs {}", python, first));
    command.insert(command.begin(), python);
  } else if (find_program(first).empty()) {
    return fail(Error::Kind::system, fmt::format("there is no program '{}'", first));
  }
  return command;
}

Result<int> run_without_cards(std::vector<std::string> command, const RunWorld& world) {
  ProcessRequest process;
  process.command = std::move(command);
  TRY(const std::vector<std::string> variables, visibility_variables(world.data));
  for (const std::string& variable : variables) process.environment[variable] = "";
  process.environment[std::string(kOriginVariable)] = "";
  return world.processes.run_in_foreground(process);
}

/// Where the builds of the extension lie: said by the environment, beside the program as it was installed, or in the
/// checkout that it was built in.
std::string find_binaries(const Files& files) {
  if (std::string chosen = environment_variable("ACCELPORT_SIMULATOR"); !chosen.empty()) return chosen;
  const auto program = files.canonical("/proc/self/exe");
  if (!program) return "simulator";
  const std::string folder = program->substr(0, program->rfind('/'));
  for (const char* place : {"/../simulator", "/../../simulator", "/../lib/accelport/simulator"})
    if (const auto found = files.canonical(folder + place)) return *found;
  return folder + "/../../simulator";
}

Result<SimulationSettings> settings_of(const RunRequest& request, const SimulatedPlatform& platform,
                                       const RunWorld& world) {
  SimulationSettings settings;
  settings.devices = request.target.devices;
  settings.memory = request.memory;
  if (settings.memory == 0) {
    const std::uint64_t held = std::min(platform.memory, machine_memory() / 2);
    settings.memory =
        std::max(kCardGrain, held / static_cast<std::uint64_t>(settings.devices) / kCardGrain * kCardGrain);
  }
  settings.strictness = request.strictness;
  settings.fidelity = request.fidelity;
  settings.binaries = find_binaries(world.files);
  for (const std::string& quirk : request.without) {
    if (std::find(platform.quirks.begin(), platform.quirks.end(), quirk) == platform.quirks.end())
      return fail(Error::Kind::usage, fmt::format("{} has no quirk '{}'", platform.title, quirk), "--without",
                  "simulator.toml of the platform lists them");
    settings.without.push_back(quirk);
  }
  if (!request.faults.empty()) {
    const auto path = world.files.canonical(request.faults);
    if (!path) return fail(Error::Kind::usage, "cannot be read", request.faults, "--faults takes a file");
    settings.faults = *path;
  }
  return settings;
}

/// A folder that is gone when the run is over.
class PrivateFolder {
 public:
  PrivateFolder(std::string path, const EditableFiles& files) : path_(std::move(path)), files_(files) {}
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder() { static_cast<void>(remove_tree(path_, files_)); }  // a process that was left behind may write still
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  const EditableFiles& files_;
};

void say_setting(const RunRequest& request, const SimulatedPlatform& platform, const SimulationSettings& settings,
                 const RunWorld& world) {
  world.say(fmt::format("simulated: {} {} ({}), {} each; fidelity {}, strictness {}{}", settings.devices, platform.card,
                        platform.device, readable_size(settings.memory), settings.fidelity, settings.strictness,
                        settings.faults.empty() ? "" : ", faults from " + request.faults));
}

Result<int> run_simulated(std::vector<std::string> command, const RunRequest& request, const RunWorld& world) {
  TRY(const SimulatedPlatform platform, read_simulated_platform(request.target.platform, world.data, world.files));
  TRY(const SimulationSettings settings, settings_of(request, platform, world));
  const std::string temporary = environment_variable("TMPDIR");
  const std::string prefix = join_path(temporary.empty() ? "/tmp" : temporary, "accelport-run-");
  TRY(std::string made, world.files.make_private_folder(prefix));
  const PrivateFolder folder(std::move(made), world.files);
  const auto contents = private_folder_files(platform, settings, folder.path(), world.data);
  TRY_DO(write_private_folder(contents, folder.path(), world.files));
  if (!request.quiet) say_setting(request, platform, settings, world);

  ProcessRequest process;
  process.command = std::move(command);
  process.environment[std::string(kSettingsVariable)] = join_path(folder.path(), kSettingsFile);
  const std::string search = environment_variable(kSearchVariable.data());
  process.environment[std::string(kSearchVariable)] = folder.path() + (search.empty() ? "" : ":" + search);
  TRY(const int code, world.processes.run_in_foreground(process));

  TRY(auto processes, read_process_reports(join_path(folder.path(), kReportFolder), world.files));
  const bool is_refused = was_refused(processes);
  const bool is_plain = settings.strictness == "strict" && settings.faults.empty() && !is_refused;
  if (!request.quiet || !is_plain)
    for (const std::string& line : summary_lines({platform.title, settings.strictness, std::move(processes)}))
      world.say("simulated: " + line);
  return is_refused ? kExitOwnFailure : code;
}

}  // namespace

Result<int> run_on_target(const RunRequest& request, const RunWorld& world) {
  TRY(std::vector<std::string> command, command_of(request, world));
  switch (request.target.kind) {
    case RunTarget::Kind::simulated:
      return run_simulated(std::move(command), request, world);
    case RunTarget::Kind::cpu:
      return run_without_cards(std::move(command), world);
    case RunTarget::Kind::origin:
    case RunTarget::Kind::card:
      break;
  }
  ProcessRequest process;
  process.command = std::move(command);
  return world.processes.run_in_foreground(process);
}

}  // namespace accelport
