#include <csignal>
#include <cstdio>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/verbs.h"

namespace accelport {
namespace {

Result<int> run(const PrintCommand& command) {
  std::fputs(command.text.c_str(), stdout);
  return kExitClean;
}
Result<int> run(const AuditCommand& command) { return run_audit_verb(command); }
Result<int> run(const ExplainCommand& command) { return run_explain_verb(command); }
Result<int> run(const ProveCommand& command) { return run_prove_verb(command); }
Result<int> run(const PortCommand& command) { return run_port_verb(command); }
Result<int> run(const EnvCommand& command) { return run_env_verb(command); }
Result<int> run(const RunCommand& command) { return run_run_verb(command); }
Result<int> run(const VerifyCommand& command) { return run_verify_verb(command); }
Result<int> run(const CompletionCommand& command) { return run_completion_verb(command); }

int report(const Error& error) {
  say(to_string(error));
  return error.kind == Error::Kind::usage ? kExitUsage : kExitFailed;
}

int run_program(int argc, const char* const* argv) {
  const auto command = parse_command_line(argc, argv);
  if (!command) return report(command.error());
  const auto code = std::visit([](const auto& verb) { return run(verb); }, *command);
  return code ? *code : report(code.error());
}

}  // namespace
}  // namespace accelport

int main(int argc, char** argv) {
  // A reader that closes early (head, a pager) is not an error of ours.
  std::signal(SIGPIPE, SIG_IGN);
  return accelport::run_program(argc, argv);
}
