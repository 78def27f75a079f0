#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "machine/ladder.h"

namespace accelport {
namespace {

Result<LadderRequest> request_of(const VerifyCommand& command, const RunWorld& world) {
  LadderRequest request;
  TRY(request.target, parse_run_target(command.on, world.data));
  const bool is_simulated = request.target.kind == RunTarget::Kind::simulated;
  if (!is_simulated && request.target.kind != RunTarget::Kind::cpu)
    return fail(Error::Kind::usage, "this version verifies on the CPU and on simulated cards only",
                "--on " + command.on);
  if (!command.faults.empty() && !is_simulated)
    return fail(Error::Kind::usage, "--faults is about a simulated card", "--on " + command.on, "--on sim:NAME:N");
  request.on = command.on;
  request.rungs = command.rungs;
  request.faults = command.faults;
  TRY(request.root, world.files.canonical("."));
  if (!command.case_file.empty()) {
    TRY(request.case_file, world.files.canonical(command.case_file));
  }
  return request;
}

void tell(const RungResult& result) {
  std::string line = fmt::format("{:<8} {:<18} {}\n", to_string(result.verdict), result.rung.id, result.rung.title);
  if (!result.reason.empty()) line += fmt::format("         {}\n", escape_for_display(result.reason));
  if (result.verdict == RungVerdict::pass) line += fmt::format("         not shown: {}\n", result.rung.not_shown);
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace

Result<int> run_verify_verb(const VerifyCommand& command) {
  const RunWorld world{real_editable_files(), real_processes(), embedded_data(), [](const std::string& s) { say(s); }};
  TRY(const LadderRequest request, request_of(command, world));
  TRY(const auto results, climb(request, world, tell));
  const auto count = [&](RungVerdict verdict) {
    return std::count_if(results.begin(), results.end(), [&](const RungResult& r) { return r.verdict == verdict; });
  };
  fmt::print("{}{} passed, {} failed, {} not known; evidence in {}\n",
             request.target.kind == RunTarget::Kind::simulated ? "simulated, says nothing about a card: " : "",
             count(RungVerdict::pass), count(RungVerdict::fail), count(RungVerdict::unknown), kEvidenceFolder);
  if (count(RungVerdict::fail) != 0) return kExitFindings;
  return count(RungVerdict::pass) != 0 ? kExitClean : kExitFailed;
}

}  // namespace accelport
