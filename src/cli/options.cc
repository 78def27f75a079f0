#include "cli/options.h"

#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "base/version.h"

namespace accelport {
namespace {

/// Words of an option's value, in the order in which help shows them.
template <typename Value>
using Words = std::vector<std::pair<std::string, Value>>;

const Words<Format> kExplainFormats = {{"text", Format::text}, {"json", Format::json}};
const Words<Format> kAuditFormats = {
    {"text", Format::text}, {"json", Format::json}, {"sarif", Format::sarif}, {"markdown", Format::markdown}};
const Words<Format> kPortFormats = {{"text", Format::text}, {"patch", Format::patch}, {"json", Format::json}};
const Words<Colour> kColours = {{"auto", Colour::automatic}, {"always", Colour::always}, {"never", Colour::never}};
const Words<FailOn> kFailOn = {{"none", FailOn::none}, {"new", FailOn::fresh}, {"any", FailOn::any}};

constexpr const char* kFooter =
    "Examples:\n"
    "  accelport audit .                          what depends on CUDA here, and what to do about each place\n"
    "  accelport audit . --reconcile              the same totals as grep, or exit code 2\n"
    "  accelport audit . --format sarif -o a.sarif\n"
    "  accelport explain torch.cuda.mem_get_info  what an API is on each platform\n"
    "  accelport port . --to NAME                 shows the change that makes it run there too; --write makes it\n"
    "  accelport env                              can this machine run it; what is wrong, what mends it\n"
    "  accelport run --on sim:NAME:1 -- train.py  runs it on a simulated card\n\n"
    "Exit codes: 0 nothing left to do, 1 findings, 2 could not do its work, 64 wrong usage.\n"
    "No verb opens a connection to another machine.";
constexpr const char* kAuditFooter =
    "Examples:\n"
    "  accelport audit .                            summary, then every occurrence by category and file\n"
    "  accelport audit src tests --to NAME          notes for one platform only\n"
    "  accelport audit . --json | jq .summary       for programs; the schema is docs/schemas/audit.schema.json\n"
    "  accelport audit . --write-baseline known.json\n"
    "  accelport audit . --baseline known.json --fail-on new     for CI: fails on what is new\n"
    "  accelport audit . --since main               only what is new since a revision\n"
    "  accelport audit . --include 'src/**' --exclude '*_test.py'\n"
    "  accelport audit . --with-packages            what the imported packages bring along\n\n"
    "A comment `accelport: retain -- why` on a line, or alone above it, decides that line.";
constexpr const char* kExplainFooter =
    "Examples:\n"
    "  accelport explain torch.cuda.mem_get_info    an API: each platform's form, differences and sources\n"
    "  accelport explain train.py:42                the occurrences of a line and why they were decided so\n"
    "  accelport explain 3f0c9a1b2d4e5f60           one occurrence by the id that reports show\n"
    "  accelport explain availability               a rule: docs/rules.md lists them";
constexpr const char* kProveFooter =
    "Examples:\n"
    "  accelport prove .                  compares the working tree with the last commit\n"
    "  accelport prove . --base v1.2      with the revision in front of the port\n"
    "  accelport prove . --json | jq .summary\n\n"
    "Comments and layout do not count; a file that cannot be parsed is never called identical.";

constexpr const char* kEnvFooter =
    "Examples:\n"
    "  accelport env                      what this machine is for the platform, what is wrong, what mends it\n"
    "  accelport env --on cpu             the same for a run without cards\n"
    "  accelport env --json | jq .probes  every program that was asked, with what it said\n"
    "  accelport env --requirements requirements.txt\n\n"
    "Asks the vendor's tools, the system and the active environment's Python, each under a time limit. Changes "
    "nothing.\n"
    "Exit code: 0 nothing wrong, 1 something to mend or look at, 2 could not do its work, 64 wrong usage.";

constexpr const char* kRunFooter =
    "Examples:\n"
    "  accelport run --on sim:NAME:1 -- train.py --epochs 1         one simulated card of a platform\n"
    "  accelport run --on sim:NAME:2 -- torchrun --nproc-per-node 2 train.py\n"
    "  accelport run --on sim:NAME:1 --memory 4GiB -- train.py      where does it run out of memory\n"
    "  accelport run --on sim:NAME:1 --strictness allow -- train.py and which operators does the card lack\n"
    "  accelport run --on cpu -- train.py                           no card at all\n\n"
    "A script (*.py) is run with the Python of the virtual environment that is active, or lies in ./.venv or ./venv,\n"
    "else with python3. What the program prints stays as it is; what accelport says goes to standard error.\n"
    "Exit code: the program's (128 + signal if it was killed); 125 if accelport itself failed, 64 wrong usage.";

constexpr const char* kVerifyFooter =
    "Examples:\n"
    "  accelport verify --on sim:NAME:2               the built-in model on simulated cards\n"
    "  accelport verify case.py --on cpu              build(), batch(step) and loss(model, batch) of your own\n"
    "  accelport verify --on cpu --rungs device,step  these rungs only\n\n"
    "Each rung is a process with a deadline; its evidence goes to .accelport/evidence/. Simulated evidence says "
    "nothing\n"
    "about a card. Exit code: 0 no rung failed, 1 one failed, 2 none could be run.";

constexpr const char* kPortFooter =
    "Examples:\n"
    "  accelport port . --to NAME                   shows the change; nothing is written\n"
    "  accelport port . --to NAME --write           makes it, all files or none\n"
    "  accelport port . --to NAME --format patch | git apply\n"
    "  accelport port . --to NAME --only distributed --only 'src/**'\n"
    "  accelport port . --to NAME --interactive     asks about every edit first\n"
    "  accelport port . --to NAME --commits         the same as commits to read one by one\n"
    "  accelport port . --eject                     what removes the tool's files; --write does it\n"
    "  accelport port . --revert                    takes the last port back, byte by byte\n\n"
    "The originals of the last 20 ports lie in .accelport/journal/, which git does not see. A port that was "
    "interrupted is finished or "
    "taken\n"
    "back by the next one. What was decided is kept in .accelport/decisions.jsonl.";

template <typename Value>
std::string joined(const Words<Value>& words, const char* separator) {
  std::string text;
  for (const auto& [word, value] : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

/// Makes the option take one of `words`.
template <typename Value>
void one_of(CLI::Option* option, const Words<Value>& words) {
  const auto check = [words](std::string& text) -> std::string {
    for (const auto& [word, value] : words) {
      if (ascii_lower(text) != word) continue;
      text = std::to_string(static_cast<int>(value));
      return {};
    }
    return "'" + text + "' is none of " + joined(words, ", ");
  };
  option->transform(CLI::Validator(check, "", "one of"))->option_text(joined(words, "|"));
}

/// Binds the options about the report.
void add_report(CLI::App& app, CommonOptions& common, bool& json, const Words<Format>& formats, const char* quiet) {
  one_of(app.add_option("--format", common.format, "how the report is written"), formats);
  app.add_flag("--json", json, "short for --format json");
  app.add_option("-o,--output", common.output, "write the report to a file instead of standard output")
      ->option_text("FILE");
  app.add_flag("-q,--quiet", common.quiet, quiet);
  one_of(app.add_option("--color", common.colour, "colours: auto means on a terminal; NO_COLOR is obeyed"), kColours);
}

/// Binds the options of every verb that reads a tree.
void add_common(CLI::App& app, CommonOptions& common, bool& json, const Words<Format>& formats, const char* quiet) {
  add_report(app, common, json, formats, quiet);
  app.add_option("-j,--jobs", common.jobs, "threads; the result does not depend on it")
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
  app.add_option("--include", common.include,
                 "only paths that match; `**` crosses folders, a name alone matches anywhere; may be repeated")
      ->allow_extra_args(false)
      ->option_text("GLOB");
  app.add_option("--exclude", common.exclude, "not the paths that match; may be repeated")
      ->allow_extra_args(false)
      ->option_text("GLOB");
}

CLI::Option* add_platforms(CLI::App& app, std::vector<std::string>& platforms) {
  return app.add_option("--to", platforms, "platforms to look at, with commas between; all if left out")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("LIST");
}

/// The parser with all its verbs; members are what it fills.
struct Parser {
  CLI::App app{"Move CUDA-centred PyTorch code to other accelerators without breaking it on NVIDIA."};
  AuditCommand audit;
  ExplainCommand explain;
  PortCommand port;
  ProveCommand prove;
  EnvCommand env;
  RunCommand run;
  VerifyCommand verify;
  CompletionCommand completion;
  bool json = false;
  bool show_version = false;
  CLI::App* audit_verb = nullptr;
  CLI::App* explain_verb = nullptr;
  CLI::App* port_verb = nullptr;
  CLI::App* prove_verb = nullptr;
  CLI::App* env_verb = nullptr;
  CLI::App* run_verb = nullptr;
  CLI::App* verify_verb = nullptr;
  CLI::App* completion_verb = nullptr;

  Parser() {
    app.name("accelport");
    app.footer(kFooter);
    app.set_help_flag("-h,--help", "print this help");
    app.get_formatter()->label("SUBCOMMAND", "VERB");
    app.get_formatter()->label("Subcommands", "Verbs");
    app.get_formatter()->label("Positionals", "Arguments");
    app.add_flag("--version", show_version, "print the version");
    app.require_subcommand(0, 1);
    add_audit();
    add_explain();
    add_port();
    add_prove();
    add_env();
    add_run();
    add_verify();
    completion_verb = app.add_subcommand("completion", "Print the completion script of a shell");
    completion_verb->add_option("SHELL", completion.shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}))
        ->option_text(" ");
    for (CLI::App* verb :
         {audit_verb, explain_verb, port_verb, prove_verb, env_verb, run_verb, verify_verb, completion_verb})
      verb->group("Verbs");
    completion_verb->footer("Example: accelport completion bash > /etc/bash_completion.d/accelport");
  }

  void add_audit() {
    audit_verb = app.add_subcommand("audit", "Find every CUDA-ism and decide each");
    audit_verb->footer(kAuditFooter);
    audit_verb->add_option("PATH", audit.paths, "repositories, folders or files")->required()->option_text("...");
    add_platforms(*audit_verb, audit.platforms);
    one_of(audit_verb->add_option("--fail-on", audit.fail_on,
                                  "what gives exit code 1: any finding, new ones (not in the baseline), none"),
           kFailOn);
    audit_verb->add_option("--baseline", audit.baseline, "occurrences that are known already")->option_text("FILE");
    audit_verb->add_option("--write-baseline", audit.write_baseline, "write today's occurrences as a baseline")
        ->option_text("FILE");
    audit_verb->add_option("--since", audit.since, "compare with a git revision: only what it does not have is new")
        ->option_text("REV");
    audit_verb->add_flag("--with-packages", audit.with_packages,
                         "read the installed packages that the code imports, too; they are reported, never findings");
    audit_verb->add_flag("--reconcile", audit.reconcile,
                         "print per term what grep counts and what is explained; exit 2 if they differ");
    audit_verb->add_flag("--files", audit.list_files, "list the files that were scanned and skipped, with the reason");
    add_common(*audit_verb, audit.common, json, kAuditFormats, "the summary only, no progress");
  }

  void add_explain() {
    explain_verb = app.add_subcommand("explain", "Why a decision was taken; what an API is on each platform");
    explain_verb->footer(kExplainFooter);
    explain_verb->add_option("SUBJECT", explain.subject, "an API, an occurrence's id, a rule's id or PATH:LINE")
        ->required()
        ->option_text(" ");
    explain_verb->add_option("--root", explain.root, "where to look an id up; the current folder if left out")
        ->option_text("PATH");
    add_platforms(*explain_verb, explain.platforms);
    add_common(*explain_verb, explain.common, json, kExplainFormats, "without sources and background");
  }

  void add_prove() {
    prove_verb = app.add_subcommand("prove", "Show that with CUDA present the ported code is the old code");
    prove_verb->footer(kProveFooter);
    prove_verb->add_option("PATH", prove.path, "folder of a git work tree; the current folder if left out")
        ->option_text(" ");
    prove_verb->add_option("--base", prove.base, "git revision to compare with; HEAD if left out")->option_text("REV");
    add_common(*prove_verb, prove.common, json, kExplainFormats, "without new files");
  }

  void add_env() {
    env_verb = app.add_subcommand("env", "Can this machine run a job of a platform; what is wrong and what mends it");
    env_verb->footer(kEnvFooter);
    env_verb
        ->add_option("--on", env.on, "for what: the CPU, NVIDIA's card, or a platform's; the platform that is known")
        ->option_text("cpu|cuda|NAME");
    env_verb
        ->add_option("--requirements", env.requirements,
                     "say which lines of a requirements file would replace the vendor's torch or are for NVIDIA only, "
                     "and print the others; the machine is asked only with --on")
        ->option_text("FILE");
    add_report(*env_verb, env.common, json, kExplainFormats, "without sources and notes");
  }

  void add_run() {
    run_verb = app.add_subcommand("run", "Run a program on the CPU, a card, or a simulated card of a platform");
    run_verb->footer(kRunFooter);
    run_verb->add_option("PROGRAM", run.program, "a script or program with its arguments, behind --")
        ->required()
        ->option_text("...");
    run_verb
        ->add_option("--on", run.on,
                     "where: the CPU, NVIDIA's card, a platform's card, or N simulated cards of a platform (its name, "
                     "or the folder of its data)")
        ->required()
        ->option_text("cpu|cuda|NAME|sim:NAME:N");
    run_verb
        ->add_option("--fidelity", run.fidelity,
                     "exact: numbers are the CPU's, quirks that change numbers are off; card: all known quirks")
        ->check(CLI::IsMember({"exact", "card"}))
        ->option_text("exact|card");
    run_verb
        ->add_option("--strictness", run.strictness,
                     "what the card lacks: fails as there (strict), or runs on the CPU, with a warning (warn) or "
                     "without (allow); it is counted and told at the end")
        ->check(CLI::IsMember({"strict", "warn", "allow"}))
        ->option_text("strict|warn|allow");
    run_verb->add_option("--memory", run.memory, "memory of each card; the card's own, or this machine's share of it")
        ->option_text("SIZE");
    run_verb->add_option("--faults", run.faults, "faults that are to happen, from a TOML file")->option_text("FILE");
    run_verb->add_option("--without", run.without, "quirks of the platform to leave out, with commas between")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->option_text("LIST");
    run_verb->add_flag("-q,--quiet", run.quiet, "say only what falls short of the card");
  }

  void add_verify() {
    verify_verb = app.add_subcommand("verify", "Climb the ladder of checks on the CPU or a simulated card");
    verify_verb->footer(kVerifyFooter);
    verify_verb->add_option("CASE", verify.case_file, "a Python file with the model; a small one if left out")
        ->option_text(" ");
    verify_verb->add_option("--on", verify.on, "where: the CPU, or N simulated cards of a platform")
        ->required()
        ->option_text("cpu|sim:NAME:N");
    verify_verb->add_option("--rungs", verify.rungs, "only these rungs, with commas between")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->option_text("LIST");
    verify_verb
        ->add_option("--faults", verify.faults, "faults that are to happen on a simulated card, from a TOML file")
        ->option_text("FILE");
  }

  void add_port() {
    port_verb = app.add_subcommand("port", "Show or make the change to other platforms; CUDA stays as it is");
    port_verb->footer(kPortFooter);
    port_verb->add_option("PATH", port.path, "the repository's folder; the current one if left out")->option_text(" ");
    port_verb->add_option("--to", port.platforms, "platforms to port to, with commas between, the preferred one first")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->option_text("LIST");
    port_verb->add_flag("--write", port.write, "make the change: all files or none");
    port_verb
        ->add_option("--only", port.only, "only a category, a path (pattern) or an occurrence's id; may be repeated")
        ->allow_extra_args(false)
        ->option_text("WHAT");
    port_verb->add_flag("--revert", port.revert, "take back the last port that was written");
    port_verb->add_flag("--eject", port.eject,
                        "show what takes every trace of the tool out of the tree; the ported code and its helper "
                        "module stay. --write does it: the journal goes too, so only git can take it back");
    port_verb->add_flag("--allow-dirty", port.allow_dirty, "write also if the tree has changes that are not committed");
    port_verb->add_flag("--interactive", port.interactive,
                        "show each group of edits and ask: yes, no, decide otherwise, explain; written at the end");
    port_verb->add_flag("--force", port.force,
                        "write a helper module anew that was changed by hand, giving those changes up; with --revert: "
                        "also take back files that were changed since, giving those changes up");
    port_verb->add_flag("--commits", port.commits,
                        "write it and make one git commit for each category, the helper module first; only files of "
                        "the port are committed, no hook runs");
    port_verb->add_flag("--trust-repository", port.trust_repository,
                        "with --commits: let git run the filter programs that the repository names");
    port_verb->add_option("--style", port.style, "how the code becomes independent of the device")
        ->check(CLI::IsMember({"helper", "neutral", "adapter"}))
        ->option_text("helper|neutral|adapter");
    add_common(*port_verb, port.common, json, kPortFormats, "the line of numbers only, no progress");
  }

  Command command() {
    if (show_version) return PrintCommand{"accelport " + std::string(version()) + "\n"};
    audit.fail_on_given = audit_verb->count("--fail-on") != 0;
    if (json)
      for (CommonOptions* common : {&audit.common, &explain.common, &port.common, &prove.common, &env.common})
        common->format = Format::json;
    if (audit_verb->parsed()) return audit;
    if (explain_verb->parsed()) return explain;
    if (port_verb->parsed()) return port;
    if (prove_verb->parsed()) return prove;
    if (env_verb->parsed()) return env;
    if (run_verb->parsed()) return run;
    if (verify_verb->parsed()) return verify;
    if (completion_verb->parsed()) return completion;
    return PrintCommand{app.help()};
  }
};

std::string help_of(const CLI::App& app) {
  for (const CLI::App* verb : app.get_subcommands({}))
    if (verb->parsed()) return verb->help("accelport");
  return app.help();
}

}  // namespace

Result<Command> parse_command_line(int argc, const char* const* argv) {
  Parser parser;
  try {
    parser.app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return PrintCommand{help_of(parser.app)};
  } catch (const CLI::ParseError& error) {
    return fail(Error::Kind::usage, error.what(), {}, "see accelport --help");
  }
  return parser.command();
}

std::vector<OptionName> option_names() {
  Parser parser;
  std::vector<OptionName> names;
  const auto add = [&](const std::string& verb, const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames())
        names.push_back({verb, "--" + name, option->get_description(), {}});
    }
  };
  add("", parser.app);
  for (const CLI::App* verb : parser.app.get_subcommands({})) {
    names.push_back({"", verb->get_name(), verb->get_description(), {}});
    add(verb->get_name(), *verb);
  }
  return names;
}

}  // namespace accelport
