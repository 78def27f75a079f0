#include "edit/commits.h"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "audit/git.h"
#include "base/text.h"
#include "edit/decisions.h"

namespace accelport {
namespace {

constexpr std::size_t kNamed = 10;
constexpr std::string_view kNoteHead = "accelport.commits/1";
constexpr const char* kFileMode = "100644";

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

/// Calls `use` with every part of `text` in front of an `end`.
template <typename Use>
void each_part(std::string_view text, char end, Use use) {
  while (!text.empty()) {
    const std::size_t size = std::min(text.find(end), text.size());
    use(text.substr(0, size));
    text.remove_prefix(std::min(size + 1, text.size()));
  }
}

std::string with_unix_line_ends(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') out += text[i];
  return out;
}

bool is_object_name(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string listed(const std::vector<std::string>& paths) {
  std::string text;
  for (std::size_t i = 0; i < std::min(paths.size(), kNamed); ++i) text += (i == 0 ? "" : ", ") + paths[i];
  return paths.size() <= kNamed ? text : fmt::format("{} and {} more", text, paths.size() - kNamed);
}

}  // namespace

std::string CommitNote::range() const { return base.substr(0, 12) + ".." + tip.substr(0, 12); }

std::string write_note(const CommitNote& note) {
  return fmt::format("{}\n{}\n{}\n{}\n", kNoteHead, note.base, note.tip, note.count);
}

std::optional<CommitNote> parse_note(std::string_view text) {
  std::vector<std::string_view> lines;
  each_part(text, '\n', [&](std::string_view line) { lines.push_back(line); });
  if (lines.size() != 4 || lines[0] != kNoteHead || !is_object_name(lines[1]) || !is_object_name(lines[2]))
    return std::nullopt;
  CommitNote note{std::string(lines[1]), std::string(lines[2]), 0};
  const auto parsed = std::from_chars(lines[3].data(), lines[3].data() + lines[3].size(), note.count);
  return parsed.ec == std::errc{} ? std::optional(note) : std::nullopt;
}

std::string head_of(const std::string& root, const Processes& processes) {
  const auto head = processes.run(git_request(root, {"rev-parse", "--verify", "--quiet", "HEAD^{commit}"}));
  return head && head->exit_code == 0 ? first_line(head->output) : std::string();
}

bool is_in_history(const std::string& root, const std::string& commit, const Processes& processes) {
  const auto answer = processes.run(git_request(root, {"merge-base", "--is-ancestor", commit, "HEAD"}));
  return answer && answer->exit_code == 0;
}

ProcessRequest CommitSeries::request(std::vector<std::string> arguments) const {
  ProcessRequest request = git_request(top_.empty() ? root_ : top_, std::move(arguments));
  request.command.insert(request.command.begin() + 3, {"-c", "user.useConfigOnly=true", "-c", "commit.gpgSign=false"});
  request.environment.erase("GIT_OPTIONAL_LOCKS");
  return request;
}

/// The same with an index of our own, so that the user's is not touched.
ProcessRequest CommitSeries::apart(ProcessRequest request) const {
  request.environment["GIT_INDEX_FILE"] = index_apart();
  return request;
}

void CommitSeries::remove_index_apart() const {
  for (const std::string& path : {index_apart(), index_apart() + ".lock"})
    if (files_.info(path)) static_cast<void>(files_.remove(path));
}

namespace {

Result<std::string> answer_of(const ProcessRequest& request, const Processes& processes) {
  TRY(ProcessResult result, processes.run(request));
  if (result.exit_code == 0 && !result.timed_out) return std::move(result.output);
  std::string why = first_line(result.error_output);
  if (result.timed_out) why = "it did not end";
  return fail(Error::Kind::system, "git could not do its work: " + why, {}, "no commit was made");
}

}  // namespace

Result<std::string> CommitSeries::ask(std::vector<std::string> arguments, std::string input) const {
  ProcessRequest question = request(std::move(arguments));
  question.input = std::move(input);
  return answer_of(question, processes_);
}

Result<void> CommitSeries::locate() {
  if (!top_.empty()) return {};
  if (!is_work_tree(root_, files_, processes_))
    return fail(Error::Kind::usage, "--commits needs a git work tree", root_, "leave --commits out, or say git init");
  TRY(const std::string folders, ask({"rev-parse", "--absolute-git-dir", "--show-prefix"}));
  TRY(const std::string top, ask({"rev-parse", "--show-toplevel"}));
  git_folder_ = first_line(folders);
  prefix_ = first_line(std::string_view(folders).substr(std::min(git_folder_.size() + 1, folders.size())));
  top_ = first_line(top);
  return {};
}

Result<void> CommitSeries::check_branch() {
  base_ = head_of(root_, processes_);
  if (base_.empty())
    return fail(Error::Kind::input, "the repository has no commit yet", root_, "make the first commit, then --commits");
  TRY(const std::string branch, ask({"rev-parse", "--symbolic-full-name", "HEAD"}));
  if (first_line(branch) != "HEAD") return {};
  return fail(Error::Kind::input, "HEAD is detached: the commits would be on no branch", root_,
              "git switch -c NAME, then --commits; nothing was changed");
}

/// In the middle of a merge or rebase a commit of ours would become a part of it.
Result<void> CommitSeries::refuse_unfinished() const {
  struct Sign {
    const char* name;
    const char* what;
    const char* hint;
  };
  static constexpr Sign kSigns[] = {
      {"rebase-merge", "a rebase", "git rebase --continue or --abort"},
      {"rebase-apply", "a rebase or `git am`", "git rebase (or am) --continue or --abort"},
      {"MERGE_HEAD", "a merge", "git merge --continue or --abort"},
      {"CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --continue or --abort"},
      {"REVERT_HEAD", "a revert", "git revert --continue or --abort"},
      {"BISECT_LOG", "a bisection", "git bisect reset"},
  };
  for (const Sign& sign : kSigns)
    if (files_.info(join_path(git_folder_, sign.name)))
      return fail(Error::Kind::input, fmt::format("{} is not finished", sign.what), root_,
                  fmt::format("{}; nothing was changed", sign.hint));
  return {};
}

/// A filter is a program of the repository. Without it the commit would hold other bytes than the filter makes.
Result<void> CommitSeries::refuse_filters(const std::vector<std::string>& paths) const {
  const char* const hint = "--trust-repository lets git run them; nothing was changed";
  const auto config = processes_.run(request({"config", "-z", "--show-scope", "--get-regexp", "^filter\\."}));
  std::vector<std::string_view> parts;
  if (config && config->exit_code == 0)
    each_part(config->output, '\0', [&](std::string_view part) { parts.push_back(part); });
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2)
    if (parts[i] == "local" || parts[i] == "worktree")
      return fail(Error::Kind::input,
                  fmt::format("the repository's configuration has filter programs ({})", first_line(parts[i + 1])),
                  root_, hint);
  std::string question;
  for (const std::string& path : paths) question += prefix_ + path + '\0';
  TRY(const std::string answer,
      ask({"check-attr", "-z", "--stdin", "filter", "ident", "working-tree-encoding"}, std::move(question)));
  parts.clear();
  each_part(answer, '\0', [&](std::string_view part) { parts.push_back(part); });
  for (std::size_t i = 0; i + 2 < parts.size(); i += 3)
    if (parts[i + 2] != "unspecified" && parts[i + 2] != "unset")
      return fail(Error::Kind::input,
                  fmt::format("git changes this file on its way into a commit ({}={})", parts[i + 1], parts[i + 2]),
                  std::string(parts[i]), hint);
  return {};
}

Result<void> CommitSeries::check_identity() const {
  for (const char* name : {"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"}) {
    TRY(const ProcessResult answer, processes_.run(request({"var", name})));
    if (answer.exit_code != 0)
      return fail(Error::Kind::input, "git does not know who makes the commits", root_,
                  "git config user.name \"…\" and git config user.email \"…\"; nothing was changed");
  }
  return {};
}

/// "MODE TYPE OBJECT\tPATH" and "MODE OBJECT STAGE\tPATH", each with a NUL behind it.
Result<CommitSeries::Entries> CommitSeries::entries(std::vector<std::string> arguments) const {
  const bool tree = arguments.front() == "ls-tree";
  ProcessRequest question = request(std::move(arguments));
  question.command[2] = root_;
  TRY(const std::string answer, answer_of(question, processes_));
  Entries found;
  each_part(answer, '\0', [&](std::string_view row) {
    const std::size_t tab = row.find('\t');
    if (tab == std::string_view::npos || tab < 8) return;
    std::string_view head = row.substr(0, tab);
    const std::string mode(head.substr(0, 6));
    head.remove_prefix(7);
    if (tree) head.remove_prefix(std::min(head.find(' ') + 1, head.size()));
    const bool merging = !tree && !head.ends_with(" 0");
    found[std::string(row.substr(tab + 1))] = {merging ? "unmerged" : mode, first_line(head.substr(0, head.find(' ')))};
  });
  return found;
}

/// Our commits start from the last one, so every file must be there, in the index and on the disk as it is in there.
Result<void> CommitSeries::check_files(const Plan& plan) {
  TRY(tree_, entries({"ls-tree", "-r", "-z", base_}));
  TRY(const Entries index, entries({"ls-files", "-s", "-z", "--", "."}));
  const auto find = [](const Entries& all, const std::string& path) {
    const auto at = all.find(path);
    return at == all.end() ? Entry{} : at->second;
  };
  std::vector<std::string> bad, paths;
  std::vector<const FileChange*> old;
  for (const FileChange& change : plan.changes) {
    const Entry committed = find(tree_, change.path);
    const bool good = committed == find(index, change.path) && change.created == committed.mode.empty();
    if (!good) bad.push_back(change.path);
    if (!good || change.created) continue;
    old.push_back(&change);
    paths.push_back(change.path);
  }
  if (find(tree_, kDecisionsFile) != find(index, kDecisionsFile)) bad.push_back(kDecisionsFile);
  TRY(const auto contents, read_revision(root_, base_, paths, processes_));
  for (std::size_t i = 0; i < old.size(); ++i) {
    bool same = contents[i] && *contents[i] == old[i]->before;
    if (!same && filters_) {
      TRY(const std::string object, store(old[i]->path, old[i]->before));
      same = object == find(tree_, paths[i]).object;
    } else if (!same && contents[i] && *contents[i] == with_unix_line_ends(old[i]->before)) {
      unix_line_ends_.insert(paths[i]);
      same = true;
    }
    if (!same) bad.push_back(paths[i]);
  }
  if (bad.empty()) return {};
  return fail(Error::Kind::input,
              "not as in the last commit, so that the port's commits would take more: " + listed(bad), root_,
              "commit or stash these files first; nothing was changed");
}

Result<void> CommitSeries::prepare(const Plan& plan, bool trust_filters) {
  filters_ = trust_filters;
  TRY_DO(locate());
  TRY_DO(refuse_unfinished());
  TRY_DO(check_branch());
  std::vector<std::string> paths = {kDecisionsFile};
  for (const FileChange& change : plan.changes) paths.push_back(change.path);
  if (!trust_filters) TRY_DO(refuse_filters(paths));
  TRY_DO(check_identity());
  return check_files(plan);
}

bool CommitSeries::takes(const std::string& path) const {
  if (tree_.count(path) != 0) return true;
  const auto ignored = processes_.run(request({"check-ignore", "-q", "--", prefix_ + path}));
  return ignored && ignored->exit_code == 1;
}

/// The bytes as an object of the repository.
Result<std::string> CommitSeries::store(const std::string& path, std::string_view bytes) const {
  std::string text = unix_line_ends_.count(path) != 0 ? with_unix_line_ends(bytes) : std::string(bytes);
  std::vector<std::string> arguments = {"hash-object", "-w", "--stdin"};
  arguments.push_back(filters_ ? "--path=" + prefix_ + path : "--no-filters");
  TRY(const std::string answer, ask(std::move(arguments), std::move(text)));
  return first_line(answer);
}

Result<std::string> CommitSeries::commit(const CommitStep& step, const std::string& parent, Entries& now) const {
  std::string entries;
  for (const CommitStep::File& file : step.files) {
    TRY(const std::string object, store(file.path, file.after));
    Entry& entry = now[file.path];
    if (entry.mode.empty()) entry.mode = kFileMode;
    entry.object = object;
    entries += fmt::format("{} {}\t{}{}", entry.mode, object, prefix_, file.path) + '\0';
  }
  ProcessRequest update = apart(request({"update-index", "-z", "--add", "--index-info"}));
  update.input = std::move(entries);
  TRY_DO(answer_of(update, processes_));
  TRY(const std::string tree, answer_of(apart(request({"write-tree", "--missing-ok"})), processes_));
  ProcessRequest make = request({"commit-tree", "--no-gpg-sign", "-p", parent, "-F", "-", first_line(tree)});
  make.input = step.message;
  TRY(const std::string made, answer_of(make, processes_));
  return first_line(made);
}

Result<CommitNote> CommitSeries::make(const std::vector<CommitStep>& steps) {
  remove_index_apart();
  CommitNote note{base_, base_, steps.size()};
  Entries now = tree_;
  Result<void> done;
  if (auto read = answer_of(apart(request({"read-tree", base_})), processes_); !read)
    done = tl::unexpected(read.error());
  for (std::size_t i = 0; done && i < steps.size(); ++i) {
    auto made = commit(steps[i], note.tip, now);
    if (made) note.tip = std::move(*made);
    if (!made) done = tl::unexpected(made.error());
  }
  remove_index_apart();
  if (!done) return tl::unexpected(done.error());
  return note;
}

Result<void> CommitSeries::publish(const CommitNote& note) const {
  TRY_DO(ask(
      {"update-ref", "-m", fmt::format("accelport: {} commits of a port", note.count), "HEAD", note.tip, note.base}));
  return {};
}

Result<void> CommitSeries::complete_index(const CommitNote& note) {
  TRY_DO(locate());
  TRY(const Entries before, entries({"ls-tree", "-r", "-z", note.base}));
  TRY(const Entries after, entries({"ls-tree", "-r", "-z", note.tip}));
  TRY(const Entries index, entries({"ls-files", "-s", "-z", "--", "."}));
  std::string rows;
  for (const auto& [path, entry] : after) {
    const auto old = before.find(path), staged = index.find(path);
    const bool ours = old == before.end() || old->second != entry;
    const bool untouched =
        old == before.end() ? staged == index.end() : staged != index.end() && staged->second == old->second;
    if (ours && untouched) rows += fmt::format("{} {}\t{}{}", entry.mode, entry.object, prefix_, path) + '\0';
  }
  if (rows.empty()) return {};
  TRY_DO(ask({"update-index", "-z", "--add", "--index-info"}, std::move(rows)));
  return {};
}

}  // namespace accelport
