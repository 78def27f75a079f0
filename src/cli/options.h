#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace accelport {

enum class Format { text, json, sarif, markdown, patch };
enum class Colour { automatic, always, never };
enum class FailOn { none, fresh, any };

/// Options that every verb has.
struct CommonOptions {
  Format format = Format::text;
  std::string output;  // empty: standard output
  int jobs = 0;
  bool quiet = false;
  Colour colour = Colour::automatic;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
};

struct AuditCommand {
  CommonOptions common;
  std::vector<std::string> paths;
  std::vector<std::string> platforms;
  FailOn fail_on = FailOn::any;
  bool fail_on_given = false;
  std::string baseline;
  std::string write_baseline;
  std::string since;
  bool with_packages = false;
  bool reconcile = false;
  bool list_files = false;
};

struct ExplainCommand {
  CommonOptions common;
  std::string subject;  // an occurrence's id, an API, a rule's id or PATH:LINE
  std::vector<std::string> platforms;
  std::string root = ".";
};

struct ProveCommand {
  CommonOptions common;
  std::string path = ".";
  std::string base = "HEAD";
};

struct PortCommand {
  CommonOptions common;
  std::string path = ".";
  std::vector<std::string> platforms;
  std::vector<std::string> only;
  std::string style = "helper";
  bool write = false;
  bool revert = false;
  bool allow_dirty = false;
  bool commits = false;
  bool trust_repository = false;
  bool interactive = false;
  bool eject = false;
  bool force = false;
};

struct EnvCommand {
  CommonOptions common;
  std::string on;  // empty: the platform that has probes
  std::string requirements;
};

struct RunCommand {
  std::string on;
  std::vector<std::string> program;
  std::string fidelity = "exact";
  std::string strictness = "strict";
  std::string memory;
  std::string faults;
  std::vector<std::string> without;
  bool quiet = false;
};

struct VerifyCommand {
  std::string on;
  std::string case_file;  // empty: the built-in model
  std::vector<std::string> rungs;
  std::string faults;
};

/// Writes the completion script of a shell.
struct CompletionCommand {
  std::string shell;
};

/// Text that is printed instead of doing anything: help or the version.
struct PrintCommand {
  std::string text;
};

using Command = std::variant<PrintCommand, AuditCommand, ExplainCommand, PortCommand, ProveCommand, EnvCommand,
                             RunCommand, VerifyCommand, CompletionCommand>;

/// Every option and verb for completion scripts: "audit --to", …
struct OptionName {
  std::string verb;
  std::string option;
  std::string help;
  std::vector<std::string> values;
};
std::vector<OptionName> option_names();

/// Turns the program's arguments into a command; the error says what is wrong and shows how it is used.
Result<Command> parse_command_line(int argc, const char* const* argv);

}  // namespace accelport
