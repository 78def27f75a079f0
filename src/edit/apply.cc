#include "edit/apply.h"

#include <optional>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "audit/discover.h"
#include "audit/git_changes.h"
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

Result<void> apply_plan(const Plan& plan, const Audit& audit, const std::string& root, bool allow_dirty,
                        Journal& journal, const Files& files, const Processes& processes) {
  TRY_DO(check_plan(plan, root, files));
  TRY(const std::string base, base_revision(plan, root, allow_dirty, journal, files, processes));
  std::vector<JournalStep> steps;
  for (const FileChange& change : plan.changes)
    steps.push_back({change.path, change.created ? std::nullopt : std::optional<std::string_view>(change.before),
                     change.after, change.mode});
  const std::string lines = decision_lines(audit, plan, base);
  TRY(const std::optional<std::string> before, read_if_there(join_path(root, kDecisionsFile), files));
  const std::string after = merge_decisions(before ? *before : std::string(), lines);
  if (before != after)
    steps.push_back({kDecisionsFile, before ? std::optional<std::string_view>(*before) : std::nullopt, after, 0644});
  return journal.write(steps, lines);
}

}  // namespace accelport
