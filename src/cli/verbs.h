#pragma once

#include "cli/options.h"

namespace accelport {

/// What the program tells its caller.
enum ExitCode { kExitClean = 0, kExitFindings = 1, kExitFailed = 2, kExitUsage = 64 };

/// Each verb does its work and gives the exit code; an error becomes a message and kExitFailed or kExitUsage in main.
Result<int> run_audit_verb(const AuditCommand& command);
Result<int> run_explain_verb(const ExplainCommand& command);
Result<int> run_prove_verb(const ProveCommand& command);
Result<int> run_port_verb(const PortCommand& command);
Result<int> run_env_verb(const EnvCommand& command);
Result<int> run_run_verb(const RunCommand& command);
Result<int> run_verify_verb(const VerifyCommand& command);
Result<int> run_completion_verb(const CompletionCommand& command);

}  // namespace accelport
