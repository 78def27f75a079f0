#include <fmt/core.h>

#include "cli/output.h"
#include "cli/verbs.h"
#include "report/environment.h"

namespace accelport {
namespace {

/// The platform that is asked about if the user names none: the only one with probes.
Result<RunTarget> target_of(const EnvCommand& command, const std::vector<DataFile>& data) {
  if (!command.on.empty()) return parse_run_target(command.on, data);
  const std::vector<std::string> names = probed_platforms(data);
  std::string listed = "cpu, cuda";
  for (const std::string& name : names) listed += ", " + name;
  if (names.size() != 1) return fail(Error::Kind::usage, "which target?", "--on", listed);
  return parse_run_target(names.front(), data);
}

}  // namespace

Result<int> run_env_verb(const EnvCommand& command) {
  const std::vector<DataFile> data = embedded_data();
  EnvironmentAnswer answer;
  RequirementsCheck requirements;
  EnvironmentReport machine;
  answer.requirements_path = command.requirements;
  if (!command.requirements.empty()) {
    TRY(requirements, check_requirements(command.requirements, real_files(), data));
    answer.requirements = &requirements;
  }
  if (command.requirements.empty() || !command.on.empty()) {
    TRY(const RunTarget target, target_of(command, data));
    TRY(machine, examine_environment(target, {real_editable_files(), real_processes(), data}));
    answer.machine = &machine;
  }
  Output output(command.common.output);
  const Sink sink = output.sink();
  const TextStyle style{use_colour(command.common.colour, !command.common.output.empty()), terminal_width(), false,
                        command.common.quiet};
  command.common.format == Format::json ? write_environment_json(answer, sink)
                                        : write_environment_text(answer, style, sink);
  TRY_DO(output.finish(real_files()));
  const bool is_clean = requirements.harmful.empty() && requirements.problems.empty() && machine.is_clean();
  return is_clean ? kExitClean : kExitFindings;
}

}  // namespace accelport
