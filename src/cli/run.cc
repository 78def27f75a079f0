#include <cstdlib>

#include <fmt/core.h>

#include "base/text.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "machine/run.h"
#include "machine/run_report.h"

namespace accelport {
namespace {

constexpr int kExitOwnFailure = 125;

Result<RunRequest> request_of(const RunCommand& command, const std::vector<DataFile>& data) {
  RunRequest request;
  TRY(request.target, parse_run_target(command.on, data));
  request.program = command.program;
  request.fidelity = command.fidelity;
  request.strictness = command.strictness;
  request.faults = command.faults;
  request.without = command.without;
  request.quiet = command.quiet;
  if (!command.memory.empty()) {
    TRY(request.memory, parse_memory_size(command.memory));
    if (request.memory < kCardGrain)
      return fail(Error::Kind::usage, fmt::format("a card with '{}' of memory holds nothing", command.memory),
                  "--memory", fmt::format("at least {}", readable_size(kCardGrain)));
  }
  const bool is_set = !command.memory.empty() || !command.faults.empty() || !command.without.empty() ||
                      command.fidelity != "exact" || command.strictness != "strict";
  if (is_set && request.target.kind != RunTarget::Kind::simulated)
    return fail(Error::Kind::usage,
                "--fidelity, --strictness, --memory, --faults and --without are about a simulated card",
                "--on " + command.on, "--on sim:NAME:N");
  return request;
}

}  // namespace

Result<int> run_run_verb(const RunCommand& command) {
  const std::vector<DataFile> data = embedded_data();
  TRY(const RunRequest request, request_of(command, data));
  const RunWorld world{real_editable_files(), real_processes(), data, [](const std::string& line) { say(line); }};
  const auto code = run_on_target(request, world);
  if (code || code.error().kind == Error::Kind::usage) return code;
  say(to_string(code.error()));
  return kExitOwnFailure;
}

}  // namespace accelport
