#include "audit/git.h"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

namespace accelport {

/// fsmonitor and hooks are programs of the repository; a missing object of a partial clone would be fetched through a
/// transport that is one too.
ProcessRequest git_request(const std::string& root, std::vector<std::string> arguments) {
  ProcessRequest request;
  request.command = {"git", "-C", root, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"};
  request.command.insert(request.command.end(), arguments.begin(), arguments.end());
  request.environment = {{"GIT_OPTIONAL_LOCKS", "0"}, {"GIT_TERMINAL_PROMPT", "0"}, {"GIT_ALLOW_PROTOCOL", "none"},
                         {"GIT_NO_LAZY_FETCH", "1"},  {"GIT_PAGER", "cat"},         {"LC_ALL", "C"}};
  return request;
}

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

bool lies_in(const std::string& folder, const std::string& path) {
  return path == folder || folder == "/" ||
         (path.size() > folder.size() && path.compare(0, folder.size(), folder) == 0 && path[folder.size()] == '/');
}

}  // namespace

bool is_work_tree(const std::string& root, const Files& files, const Processes& processes) {
  const auto top = processes.run(git_request(root, {"rev-parse", "--show-toplevel"}));
  if (!top || top->exit_code != 0) return false;
  const auto here = files.canonical(root);
  const auto there = files.canonical(first_line(top->output));
  return here && there && lies_in(*there, *here);
}

std::optional<GitView> GitView::of(const std::string& root, const Files& files, const Processes& processes) {
  if (!is_work_tree(root, files, processes)) return std::nullopt;
  const auto listed =
      processes.run(git_request(root, {"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "."}));
  if (!listed || listed->exit_code != 0 || listed->timed_out) return std::nullopt;
  GitView view;
  const std::string_view output = listed->output;
  for (std::size_t begin = 0; begin < output.size();) {
    std::size_t end = output.find('\0', begin);
    if (end == std::string_view::npos) end = output.size();
    view.add(output.substr(begin, end - begin));
    begin = end + 1;
  }
  return view;
}

void GitView::add(std::string_view listed) {
  if (listed.empty()) return;
  if (listed.back() == '/') {
    listed.remove_suffix(1);
    repositories_.emplace(listed);
  }
  files_.emplace(listed);
  for (std::size_t slash = listed.rfind('/'); slash != std::string_view::npos; slash = listed.rfind('/', slash - 1)) {
    if (!folders_.emplace(listed.substr(0, slash)).second || slash == 0) break;
  }
}

namespace {

/// Reads one answer of `cat-file --batch` and moves `rest` behind it.
Result<std::optional<std::string>> take_answer(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) return fail(Error::Kind::system, "git cat-file ended early");
  const std::string_view header = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  const std::size_t blank = header.rfind(' ');
  std::size_t size = 0;
  const auto parsed = std::from_chars(header.data() + blank + 1, header.data() + header.size(), size);
  if (blank == std::string_view::npos || parsed.ec != std::errc{}) return std::optional<std::string>();
  if (rest.size() <= size) return fail(Error::Kind::system, "git cat-file ended early");
  std::optional<std::string> bytes;
  if (header.find(" blob ") != std::string_view::npos) bytes = std::string(rest.substr(0, size));
  rest.remove_prefix(size + 1);
  return bytes;
}

Result<std::string> commit_of(const std::string& root, const std::string& revision, const Processes& processes) {
  TRY(const ProcessResult commit, processes.run(git_request(root, {"rev-parse", "--verify", "--quiet",
                                                                   "--end-of-options", revision + "^{commit}"})));
  if (commit.exit_code != 0)
    return fail(Error::Kind::usage, fmt::format("git knows no revision '{}' in {}", revision, root), {},
                "name a commit, tag or branch");
  return first_line(commit.output);
}

}  // namespace

Result<std::vector<std::optional<std::string>>> read_revision(const std::string& root, const std::string& revision,
                                                              const std::vector<std::string>& paths,
                                                              const Processes& processes) {
  TRY(const std::string commit, commit_of(root, revision, processes));
  ProcessRequest request = git_request(root, {"cat-file", "--batch"});
  for (const std::string& path : paths) {
    if (path.find('\n') != std::string::npos)
      return fail(Error::Kind::input, "a path with a newline cannot be asked for", path);
    request.input += commit + ":./" + path + "\n";
  }
  const auto answer = processes.run(request);
  if (!answer) return tl::unexpected(answer.error());
  std::vector<std::optional<std::string>> contents;
  std::string_view rest = answer->output;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    TRY(auto bytes, take_answer(rest));
    contents.push_back(std::move(bytes));
  }
  return contents;
}

Result<std::vector<std::string>> files_since(const std::string& root, const std::string& revision,
                                             const Processes& processes) {
  TRY(const std::string commit, commit_of(root, revision, processes));
  TRY(const ProcessResult listed,
      processes.run(git_request(
          root, {"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--with-tree=" + commit, "--", "."})));
  if (listed.exit_code != 0 || listed.timed_out)
    return fail(Error::Kind::system, "git does not list the files: " + first_line(listed.error_output), root);
  std::vector<std::string> paths;
  const std::string_view output = listed.output;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\0', begin), output.size());
    paths.emplace_back(output.substr(begin, end - begin));
    begin = end + 1;
  }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

}  // namespace accelport
