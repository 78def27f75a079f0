#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "audit/config.h"
#include "audit/run.h"
#include "cli/interactive.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "edit/apply.h"
#include "edit/decisions.h"
#include "edit/eject.h"
#include "edit/plan.h"
#include "report/port.h"
#include "report/style.h"

namespace accelport {
namespace {

constexpr std::uint64_t kMaxDecisions = 256 << 20;

Result<void> check_command(const PortCommand& command, const Files& files) {
  if (command.revert && (command.write || command.commits || command.interactive || !command.only.empty()))
    return fail(Error::Kind::usage, "--revert takes the last port back as a whole", {},
                "leave --write, --commits, --interactive and --only out");
  if (command.eject && (command.revert || command.commits || command.interactive || !command.only.empty() ||
                        command.common.format != Format::text))
    return fail(Error::Kind::usage, "--eject goes with --write, --allow-dirty and --output only", {},
                "leave the others out");
  if (command.interactive) TRY_DO(check_terminal());
  if (command.interactive && (command.common.format != Format::text || command.common.quiet))
    return fail(Error::Kind::usage, "--interactive shows text", {}, "leave --format and --quiet out");
  if (command.trust_repository && !command.commits)
    return fail(Error::Kind::usage, "--trust-repository is about the commits of --commits", {}, "leave it out");
  TRY(const FileInfo info, files.info(command.path));
  if (info.type == FileType::directory) return {};
  return fail(Error::Kind::usage, "not a folder", command.path, "name the repository's folder; --only PATH narrows it");
}

AuditOptions audit_options(const PortCommand& command, const Config& config) {
  AuditOptions options;
  options.roots = {command.path};
  options.platforms = command.platforms.empty() ? config.platforms : command.platforms;
  options.include = command.common.include.empty() ? config.include : command.common.include;
  options.exclude = config.exclude;
  options.exclude.insert(options.exclude.end(), command.common.exclude.begin(), command.common.exclude.end());
  options.jobs = command.common.jobs;
  options.keep_paths = true;
  return options;
}

bool is_id(std::string_view text) {
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// A path may be typed as seen from here or from the root; a word that is nothing at all is a slip of the pen.
Result<std::string> selection(std::string only, const std::string& root, const Files& files) {
  if (parse_category(only) || is_id(only)) return only;
  const std::string prefix = root.back() == '/' ? root : root + "/";
  if (only.compare(0, prefix.size(), prefix) == 0) only.erase(0, prefix.size());
  while (only.compare(0, 2, "./") == 0) only.erase(0, 2);
  while (only.size() > 1 && only.back() == '/') only.pop_back();
  const auto info = files.info(join_path(root, only));
  if (info && info->type == FileType::directory) return only + "/**";
  if (info || only.find_first_of("*?") != std::string::npos) return only;
  return fail(Error::Kind::usage, fmt::format("--only '{}' is no category, id or path here", only), {},
              "categories are those of `accelport audit`");
}

std::uint64_t count_unsupported(const Audit& audit) {
  std::uint64_t count = 0;
  for (const AuditedFile& file : audit.files)
    for (const Occurrence& occurrence : file.occurrences)
      count += !occurrence.installed && occurrence.decision == Decision::unsupported;
  return count;
}

Result<Audit> audited(const PortCommand& command, const Config& config, const Catalog& catalog, const Files& files) {
  AuditOptions options = audit_options(command, config);
  if (options.platforms.empty())
    return fail(Error::Kind::usage, "no platform is named", {}, "say --to LIST, or platforms in accelport.toml");
  std::optional<Audit> audit;
  {
    ProgressLine progress(error_is_terminal() && !command.common.quiet);
    options.progress = [&](std::uint64_t done, std::uint64_t total) { progress(done, total); };
    TRY(audit, run_audit(catalog, options, files, real_processes()));
  }
  apply_rule_settings(config, *audit);
  for (const std::string& problem : audit->problems) say(problem);
  for (const SkippedFile& skipped : audit->skipped)
    if (skipped.problem) say(skipped.path + ": not read: " + skipped.reason);
  return std::move(*audit);
}

/// Two styles in one tree would leave a reader with two ways to ask for one thing.
Result<void> check_earlier_style(const PortCommand& command, const Files& files) {
  ByteBuffer bytes;
  if (!files.read(join_path(command.path, kDecisionsFile), kMaxDecisions, bytes)) return {};
  const std::string earlier = style_of(bytes.view());
  if (earlier.empty() || earlier == command.style) return {};
  return fail(Error::Kind::usage, fmt::format("the tree has been ported in the style '{}'", earlier), command.path,
              "take that port back with --revert first, or say --style " + earlier);
}

void write_report(const PortCommand& command, const PortReport& report, const Sink& sink) {
  const bool to_file = !command.common.output.empty();
  switch (command.common.format) {
    case Format::json:
      return write_port_json(report, sink);
    case Format::patch:
      return write_port_patch(report, !to_file && output_is_terminal(), sink);
    default:
      write_port_text(
          report, {use_colour(command.common.colour, to_file), terminal_width(), false, command.common.quiet}, sink);
  }
}

/// A report for a person at a terminal goes through the person's pager.
Result<void> show(const PortCommand& command, const PortReport& report, const Files& files) {
  const std::string pager = environment_variable("PAGER");
  const bool paged = command.common.output.empty() && output_is_terminal() && !pager.empty() &&
                     command.common.format != Format::json && !command.common.quiet && !report.written;
  if (paged) {
    std::string text;
    write_report(command, report, [&](std::string_view bytes) { text += bytes; });
    if (show_in_pager(pager, text)) return {};
  }
  Output output(command.common.output);
  write_report(command, report, output.sink());
  return output.finish(files);
}

Result<int> revert(const PortCommand& command, Journal& journal) {
  TRY_DO(refuse_committed(command.path, journal, real_processes()));
  TRY(const auto paths, journal.revert(kDecisionsFile, command.force));
  if (!command.common.quiet) say(fmt::format("the last port was taken back: {}", counted(paths.size(), "file")));
  return kExitClean;
}

/// What takes the tool out of the tree: shown, or done.
Result<int> run_eject(const PortCommand& command, Journal& journal, const Files& files) {
  TRY(const Ejection ejection, plan_ejection(command.path, files, real_processes()));
  Output output(command.common.output);
  const Sink sink = output.sink();
  const bool colour = use_colour(command.common.colour, !command.common.output.empty());
  if (!command.common.quiet) {
    for (const FileChange& change : ejection.changes) write_change_text(change, colour, sink);
    for (const std::string& path : ejection.removed) sink("remove file " + path + "\n");
    if (ejection.has_journal) sink("remove the journal: no port can be taken back any more but by git\n");
    if (!ejection.kept.empty()) sink("names the tool and stays, for a person to look at:\n");
    for (const std::string& kept : ejection.kept) sink("  " + escape_for_display(kept) + "\n");
  }
  if (command.write && !ejection.empty())
    TRY_DO(eject(ejection, command.path, command.allow_dirty, journal, files, real_processes()));
  sink(ejection.empty() ? "nothing to remove\n"
       : command.write  ? "removed; git alone can take it back\n"
                        : "nothing was written; --write does it, and git alone can take it back\n");
  TRY_DO(output.finish(files));
  return ejection.empty() || command.write ? kExitClean : kExitFindings;
}

int exit_code(const PortReport& report, bool narrowed) {
  if (std::any_of(report.audit.skipped.begin(), report.audit.skipped.end(), [](const auto& s) { return s.problem; }))
    return kExitFailed;
  const bool to_do = !report.plan.empty() && !report.written;
  const bool left = !report.plan.unchanged.empty() || (report.unsupported != 0 && !narrowed);
  return to_do || left ? kExitFindings : kExitClean;
}

}  // namespace

Result<int> run_port_verb(const PortCommand& command) {
  const EditableFiles& files = real_editable_files();
  TRY_DO(check_command(command, files));
  Journal journal(command.path, files);
  TRY(const auto recovered, journal.recover());
  if (recovered) say(command.path + ": " + *recovered);
  TRY(const auto commits, recover_commits(command.path, journal, files, real_processes()));
  if (commits) say(command.path + ": " + *commits);
  if (command.revert) return revert(command, journal);
  if (command.eject) return run_eject(command, journal, files);

  TRY_DO(check_earlier_style(command, files));
  TRY(const Config config, load_config(command.path, files));
  TRY(const Catalog catalog, load_catalog(embedded_data(), config.terms));
  TRY_DO(check_rule_settings(config, catalog));
  PlanOptions options;
  options.root = command.path;
  options.style = command.style;
  options.jobs = command.common.jobs;
  options.is_untouched = [&](const std::string& path, std::string_view bytes) { return journal.is_ours(path, bytes); };
  for (const std::string& only : command.only) {
    TRY(std::string selected, selection(only, command.path, files));
    options.only.push_back(std::move(selected));
  }
  options.force = command.force;
  options.helper = config.helper;
  while (options.helper.starts_with("./")) options.helper.erase(0, 2);
  options.helper_at = config.helper_at;
  TRY(Audit audit, audited(command, config, catalog, files));
  options.platforms = audit.platforms;
  TRY(Plan plan, plan_port(audit, catalog, options, files));
  Answers answers;
  if (command.interactive) {
    TRY(answers, ask_about(plan, audit, {use_colour(command.common.colour, false), terminal_width(), false, false}));
    options.chosen = answers.wanted;
    TRY(plan, plan_port(audit, catalog, options, files));
  }
  PortReport report{audit, plan, count_unsupported(audit), false};
  const bool write = command.write || command.commits || command.interactive;
  if (write && !(plan.empty() && answers.person_lines.empty())) {
    const ApplyOptions apply{command.path, command.allow_dirty, command.commits, command.trust_repository,
                             answers.person_lines};
    TRY(const auto made, apply_plan(plan, audit, apply, journal, files, real_processes()));
    report.written = true;
    if (made) say(fmt::format("{} made: {}", counted(made->count, "commit"), made->range()));
  }
  TRY_DO(show(command, report, files));
  const int code = exit_code(report, !command.only.empty());
  return code == kExitClean && answers.left ? kExitFindings : code;
}

}  // namespace accelport
