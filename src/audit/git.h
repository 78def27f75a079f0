#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/files.h"
#include "base/process.h"

namespace accelport {

/// What git says about a folder. Only `rev-parse`, `ls-files` and `cat-file` are ever asked, with everything switched
/// off by which a repository's own configuration could start a program.
class GitView {
 public:
  /// Nothing if `root` is in no work tree, git is missing or refuses, or the repository's `core.worktree` points
  /// elsewhere.
  static std::optional<GitView> of(const std::string& root, const Files& files, const Processes& processes);

  /// Tracked, or untracked and not ignored. Paths are relative to the root.
  bool knows_file(const std::string& path) const { return files_.count(path) != 0; }
  /// A folder with such files below it.
  bool knows_folder(const std::string& path) const { return folders_.count(path) != 0; }
  /// A submodule, or another repository inside this one.
  bool is_repository(const std::string& path) const { return repositories_.count(path) != 0; }

 private:
  void add(std::string_view listed);

  std::unordered_set<std::string> files_;
  std::unordered_set<std::string> folders_;
  std::unordered_set<std::string> repositories_;
};

/// How git is asked: fsmonitor, hooks, transports and prompts switched off.
ProcessRequest git_request(const std::string& root, std::vector<std::string> arguments);

/// False if git's work tree is not around the root: `core.worktree` of an untrusted repository can name any folder.
bool is_work_tree(const std::string& root, const Files& files, const Processes& processes);

/// The bytes of `path` in revision `revision`, or nothing if it did not exist there. Paths are relative to `root`.
/// The result is in the order of `paths`.
Result<std::vector<std::optional<std::string>>> read_revision(const std::string& root, const std::string& revision,
                                                              const std::vector<std::string>& paths,
                                                              const Processes& processes);

/// The files of `revision`, those that are tracked today and those that are new and not ignored, by path bytes; each
/// once, relative to `root`.
Result<std::vector<std::string>> files_since(const std::string& root, const std::string& revision,
                                             const Processes& processes);

}  // namespace accelport
