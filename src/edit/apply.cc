#include "edit/apply.h"

#include <optional>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "audit/discover.h"
#include "audit/git_changes.h"
#include "catalog/helper_table.h"
#include "edit/decisions.h"

namespace accelport {
namespace {

constexpr std::size_t kNamed = 10;  // files that a message names

/// Joins what is wrong with several files into one error.
class Problems {
 public:
  void add(const std::string& path, std::string_view why) {
    if (++count_ > kNamed) return;
    text_ += fmt::format("{}{}{}{}", text_.empty() ? "" : "; ", path, why.empty() ? "" : ": ", why);
  }
  std::size_t count() const { return count_; }
  std::string text() const { return count_ <= kNamed ? text_ : fmt::format("{}; and {} more", text_, count_ - kNamed); }

 private:
  std::size_t count_ = 0;
  std::string text_;
};

bool behind_link(const std::string& root, const std::string& path, const Files& files) {
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const auto info = files.info(join_path(root, path.substr(0, slash)));
    if (!info) return false;
    if (info->type != FileType::directory) return true;
  }
  return false;
}

/// Why the file must not be written; empty if it may.
std::string_view problem_with(const FileChange& change, const std::string& root, const Files& files) {
  if (!check_port_path(change.path)) return "not a path that a port may touch";
  if (behind_link(root, change.path, files)) return "lies behind a link";
  const auto info = files.info(join_path(root, change.path));
  if (change.created) return info ? "was to be made but is there already" : "";
  if (!info) return "is gone";
  if (info->type == FileType::link) return "a link";
  if (info->type != FileType::regular) return "not a regular file";
  if (info->links > 1) return "has several names (hard links), of which only one would change";
  if ((info->mode & 0200) == 0) return "read-only";
  ByteBuffer bytes;
  const bool same = info->size == change.before.size() && files.read(join_path(root, change.path), info->size, bytes) &&
                    bytes.view() == change.before;
  return same ? "" : "has changed since it was read";
}

/// Changes that an earlier port made and nobody touched since are no reason to stop.
bool made_by_port(const std::string& root, const std::string& path, const Journal& journal, const Files& files) {
  if (path == kDecisionsFile) return true;
  ByteBuffer bytes;
  return files.read(join_path(root, path), kMaxFileBytes, bytes) && journal.is_ours(path, bytes.view());
}

Result<std::optional<std::string>> read_if_there(const std::string& path, const Files& files) {
  if (!files.info(path)) return std::optional<std::string>();
  ByteBuffer bytes;
  TRY_DO(files.read(path, kMaxFileBytes, bytes));
  return std::optional(std::string(bytes.view()));
}

}  // namespace

namespace {

/// What `write` of the journal is told, and the decisions file as it will be.
struct Written {
  const std::vector<JournalStep>& steps;
  const std::string& lines;
  const std::string& decisions;
};

/// First the commits as objects that nothing refers to, then the files, then the branch in one step: whenever the
/// program dies, all commits are there or none, and the journal knows which.
Result<std::optional<CommitNote>> write_and_commit(const Plan& plan, const Audit& audit, const ApplyOptions& options,
                                                   const Written& written, Journal& journal, const EditableFiles& files,
                                                   const Processes& processes) {
  TRY(const HelperTable table, embedded_helper_table());
  CommitSeries series(options.root, files, processes);
  TRY_DO(series.prepare(plan, options.trust_repository));
  std::vector<CommitStep> steps = commit_steps(plan, audit, table.names);
  if (series.takes(kDecisionsFile)) steps.back().files.push_back({kDecisionsFile, written.decisions});
  TRY_DO(journal.reserve());
  auto note = series.make(steps);
  if (!note) {
    journal.release();
    return tl::unexpected(note.error());
  }
  TRY_DO(journal.write(written.steps, written.lines + options.person_lines, write_note(*note)));
  if (auto published = series.publish(*note); !published) {
    const auto undone = journal.revert(kDecisionsFile);
    published.error().hint = undone ? "nothing was changed" : "the files are written: " + to_string(undone.error());
    return tl::unexpected(published.error());
  }
  TRY_DO(series.complete_index(*note));
  TRY_DO(journal.settle_note());
  return std::optional(std::move(*note));
}

}  // namespace

Result<void> check_plan(const Plan& plan, const std::string& root, const Files& files) {
  Problems problems;
  for (const FileChange& change : plan.changes)
    if (const std::string_view why = problem_with(change, root, files); !why.empty()) problems.add(change.path, why);
  if (problems.count() == 0) return {};
  return fail(Error::Kind::input, problems.text(), {}, "nothing was changed; --only leaves files out");
}

Result<std::string> base_revision(const Plan& plan, const std::string& root, bool allow_dirty, const Journal& journal,
                                  const Files& files, const Processes& processes) {
  std::vector<std::string> wanted;
  for (const FileChange& change : plan.changes)
    if (!change.created) wanted.push_back(change.path);
  const auto changes = git_changes(root, wanted, files, processes);
  if (!changes && allow_dirty) return std::string();
  if (!changes) return tl::unexpected(changes.error());
  if (!*changes) return std::string();
  if (allow_dirty) return (*changes)->head;
  Problems problems;
  for (const std::string& path : (*changes)->paths)
    if (!made_by_port(root, path, journal, files)) problems.add(path, "");
  if (problems.count() == 0) return (*changes)->head;
  return fail(Error::Kind::input, "the tree has changes that are not committed: " + problems.text(), {},
              "nothing was changed; commit or stash them, or say --allow-dirty");
}

Result<std::optional<CommitNote>> apply_plan(const Plan& plan, const Audit& audit, const ApplyOptions& options,
                                             Journal& journal, const EditableFiles& files, const Processes& processes) {
  TRY_DO(check_plan(plan, options.root, files));
  TRY(const std::string base, base_revision(plan, options.root, options.allow_dirty, journal, files, processes));
  std::vector<JournalStep> steps;
  for (const FileChange& change : plan.changes)
    steps.push_back({change.path, change.created ? std::nullopt : std::optional<std::string_view>(change.before),
                     change.after, change.mode});
  const std::string lines = decision_lines(audit, plan, base);
  TRY(const std::optional<std::string> before, read_if_there(join_path(options.root, kDecisionsFile), files));
  const std::string after =
      add_person_lines(merge_decisions(before ? *before : std::string(), lines), options.person_lines);
  if (before != after && !(after.empty() && !before))
    steps.push_back({kDecisionsFile, before ? std::optional<std::string_view>(*before) : std::nullopt, after, 0644});
  if (options.commits && !plan.empty())
    return write_and_commit(plan, audit, options, {steps, lines, after}, journal, files, processes);
  TRY_DO(journal.write(steps, lines + options.person_lines));
  return std::optional<CommitNote>();
}

Result<std::optional<std::string>> recover_commits(const std::string& root, const Journal& journal,
                                                   const EditableFiles& files, const Processes& processes) {
  const auto kept = journal.note();
  if (!kept || kept->settled) return std::optional<std::string>();
  const auto note = parse_note(kept->text);
  const bool committed = note && is_in_history(root, note->tip, processes);
  if (committed) {
    TRY_DO(CommitSeries(root, files, processes).complete_index(*note));
    TRY_DO(journal.settle_note());
    return std::optional(
        fmt::format("the last port was interrupted behind its {} commits ({}); git's index knows "
                    "them now, nothing is left to do",
                    note->count, note->range()));
  }
  if (note && head_of(root, processes) == note->base)
    return std::optional<std::string>(
        "the last port was interrupted in front of its commits: its files are written, none is committed; commit them "
        "yourself, or take them back with --revert and say --commits again");
  TRY_DO(journal.drop_note());
  return std::optional<std::string>();
}

Result<void> refuse_committed(const std::string& root, const Journal& journal, const Processes& processes) {
  const auto kept = journal.note();
  const auto note = kept ? parse_note(kept->text) : std::nullopt;
  if (!note || !is_in_history(root, note->tip, processes)) return {};
  return fail(Error::Kind::input,
              fmt::format("the last port was committed ({} commits), so git takes it back", note->count), root,
              fmt::format("git revert --no-edit {}; nothing was changed", note->range()));
}

}  // namespace accelport
