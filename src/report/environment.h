#pragma once

#include "machine/environment.h"
#include "machine/requirements_check.h"
#include "report/report.h"

namespace accelport {

/// What `env` found, of a machine, of a requirements file, or of both; what was not asked for is null.
struct EnvironmentAnswer {
  const EnvironmentReport* machine = nullptr;
  const RequirementsCheck* requirements = nullptr;
  std::string requirements_path;
};

/// `accelport.env/1`, for programs: every fact and every probe's raw answer is in it.
void write_environment_json(const EnvironmentAnswer& answer, const Sink& sink);

/// For people: what the machine is for the target, what is wrong and what mends it, then what is worth knowing.
void write_environment_text(const EnvironmentAnswer& answer, const TextStyle& style, const Sink& sink);

}  // namespace accelport
