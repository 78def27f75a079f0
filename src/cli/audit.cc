#include <fmt/core.h>
#include <algorithm>

#include "audit/baseline.h"
#include "audit/config.h"
#include "audit/packages.h"
#include "audit/run.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "edit/journal.h"
#include "report/report.h"
#include "report/summary.h"

namespace accelport {
namespace {

/// The repository's own settings, where the command line does not say otherwise.
Result<Config> settings(const AuditCommand& command, const Files& files) {
  if (command.paths.size() != 1) return Config{};
  return load_config(command.paths[0], files);
}

Result<std::vector<std::string>> folders_of_packages(const Files& files) {
  const PythonPlaces places{environment_variable("VIRTUAL_ENV"), environment_variable("CONDA_PREFIX"),
                            environment_variable("PATH")};
  std::vector<std::string> folders = package_folders(places, files);
  if (folders.empty())
    return fail(Error::Kind::input, "no folder of installed Python packages was found", "--with-packages",
                "activate the environment, or set VIRTUAL_ENV to its folder");
  return folders;
}

AuditOptions audit_options(const AuditCommand& command, const Config& config) {
  AuditOptions options;
  options.roots = command.paths;
  options.platforms = command.platforms.empty() ? config.platforms : command.platforms;
  options.include = command.common.include.empty() ? config.include : command.common.include;
  options.exclude = config.exclude;
  options.exclude.insert(options.exclude.end(), command.common.exclude.begin(), command.common.exclude.end());
  options.jobs = command.common.jobs;
  options.keep_paths = command.list_files;
  return options;
}

/// The baseline to compare with; the one of the settings does not count when a new one is asked for.
std::string baseline_path(const AuditCommand& command, const Config& config) {
  if (!command.baseline.empty() || config.baseline.empty() || !command.write_baseline.empty()) return command.baseline;
  return join_path(command.paths[0], config.baseline);
}

Result<void> apply_baselines(const AuditCommand& command, const Config& config, const AuditOptions& options,
                             const Catalog& catalog, const Files& files, Audit& audit) {
  const std::string path = baseline_path(command, config);
  if (!path.empty()) {
    ByteBuffer bytes;
    TRY_DO(files.read(path, std::uint64_t{1} << 30, bytes));
    TRY(const Baseline baseline, Baseline::parse(bytes.view(), path));
    baseline.mark(audit);
  }
  if (!command.since.empty()) {
    TRY(const Baseline baseline, baseline_of_revision(catalog, options, command.since, audit, real_processes()));
    baseline.mark(audit);
  }
  if (!command.write_baseline.empty()) TRY_DO(files.write(command.write_baseline, write_baseline(audit)));
  return {};
}

bool write_report(const AuditCommand& command, const Catalog& catalog, const Audit& audit, const Sink& sink) {
  const TextStyle style{use_colour(command.common.colour, !command.common.output.empty()), terminal_width(),
                        command.list_files, command.common.quiet};
  if (command.reconcile) return write_reconciliation(audit, catalog, style, sink);
  switch (command.common.format) {
    case Format::text:
      write_text(audit, catalog, style, sink);
      break;
    case Format::json:
      write_json(audit, catalog, command.common.jobs, sink);
      break;
    case Format::sarif:
      write_sarif(audit, catalog, sink);
      break;
    case Format::markdown:
      write_markdown(audit, catalog, sink);
      break;
    case Format::patch:
      break;
  }
  return true;
}

/// A term hit outside of every occurrence would be a bug: the totals are the promise that nothing was overlooked.
bool balances(const Audit& audit) { return audit.term_hits == audit.term_covered; }

int exit_code(const AuditCommand& command, const Config& config, const Audit& audit) {
  if (!balances(audit)) return kExitFailed;
  if (std::any_of(audit.skipped.begin(), audit.skipped.end(), [](const auto& s) { return s.problem; }))
    return kExitFailed;
  const Summary summary = summarise(audit);
  const bool compares = !baseline_path(command, config).empty() || !command.since.empty();
  const FailOn fail_on = !command.fail_on_given && compares ? FailOn::fresh : command.fail_on;
  if (fail_on == FailOn::none) return kExitClean;
  return (fail_on == FailOn::fresh ? summary.new_findings : summary.findings) > 0 ? kExitFindings : kExitClean;
}

void report_problems(const AuditCommand& command, const Audit& audit) {
  for (const std::string& path : command.paths)
    if (const auto interrupted = Journal::interrupted(path, real_files())) say(*interrupted);
  for (const std::string& problem : audit.problems) say(problem);
  for (const SkippedFile& skipped : audit.skipped)
    if (skipped.problem) say(skipped.path + ": not audited: " + skipped.reason);
}

}  // namespace

Result<int> run_audit_verb(const AuditCommand& command) {
  const Files& files = real_files();
  TRY(const Config config, settings(command, files));
  TRY(const Catalog catalog, load_catalog(embedded_data(), config.terms));
  TRY_DO(check_rule_settings(config, catalog));
  AuditOptions options = audit_options(command, config);
  if (command.with_packages) {
    TRY(options.package_folders, folders_of_packages(files));
  }
  std::optional<Audit> audit;
  {
    ProgressLine progress(error_is_terminal() && !command.common.quiet);
    options.progress = [&](std::uint64_t done, std::uint64_t total) { progress(done, total); };
    TRY(audit, run_audit(catalog, options, files, real_processes()));
  }
  apply_rule_settings(config, *audit);
  TRY_DO(apply_baselines(command, config, options, catalog, files, *audit));
  Output output(command.common.output);
  const bool written = write_report(command, catalog, *audit, output.sink());
  TRY_DO(output.finish(files));
  report_problems(command, *audit);
  return written ? exit_code(command, config, *audit) : kExitFailed;
}

}  // namespace accelport
