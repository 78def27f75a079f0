#include "audit/discover.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "audit/git.h"

namespace accelport {
namespace {

/// Folders whose files are nobody's source, with the reason that the report gives.
struct SkippedFolder {
  std::string_view name;
  std::string_view reason;
};
constexpr std::array kSkippedFolders = {
    SkippedFolder{".git", "version control"},       SkippedFolder{".hg", "version control"},
    SkippedFolder{".svn", "version control"},       SkippedFolder{".accelport", "records of this tool"},
    SkippedFolder{"__pycache__", "compiled files"}, SkippedFolder{"node_modules", "installed packages"},
    SkippedFolder{".mypy_cache", "cache"},          SkippedFolder{".pytest_cache", "cache"},
    SkippedFolder{".ruff_cache", "cache"},          SkippedFolder{".tox", "test environments"},
    SkippedFolder{".nox", "test environments"},     SkippedFolder{".eggs", "installed packages"},
};

/// Deeper trees are made by accident or malice; every component costs a system call.
constexpr int kMaxDepth = 256;

struct Folder {
  std::string path;  // as reported, "" for the root itself
  std::string full_path;
  int depth = 0;
  bool vendored = false;
  bool asks_git = true;  // false inside another repository, which the outer one does not list
};

class Walk {
 public:
  Walk(const AuditOptions& options, const Files& files, const Processes& processes, Discovery& found)
      : options_(options), files_(files), processes_(processes), found_(found) {}

  Result<void> root(const std::string& root, const std::string& prefix) {
    const auto info = files_.info(root.size() > 1 && root.back() == '/' ? root + "." : root);
    if (!info) return tl::unexpected(info.error());
    if (info->type == FileType::regular) {
      found_.candidates.push_back({root, root, info->size, false});
      return {};
    }
    if (info->type == FileType::link) return target(root, prefix);
    if (info->type != FileType::directory)
      return fail(Error::Kind::usage, "neither a file nor a folder", root, "name a repository or a source file");
    git_ = GitView::of(root, files_, processes_);
    git_prefix_ = prefix;
    folders_.push_back({prefix, root, 0, false, git_.has_value()});
    TRY_DO(files_.list(root));
    while (!folders_.empty()) {
      const Folder folder = std::move(folders_.back());
      folders_.pop_back();
      visit(folder);
    }
    return {};
  }

 private:
  /// A link that the user names is followed; those that the tree holds are not.
  Result<void> target(const std::string& link, const std::string& prefix) {
    TRY(const std::string real, files_.canonical(link));
    TRY(const FileInfo info, files_.info(real));
    if (info.type != FileType::regular) return this->root(link + "/.", prefix);
    found_.candidates.push_back({link, real, info.size, false});
    return {};
  }

  void visit(const Folder& folder) {
    const auto entries = files_.list(folder.full_path);
    if (!entries) return skip(folder.path + "/", entries.error().message, true);
    if (folder.depth > 0 &&
        std::any_of(entries->begin(), entries->end(), [](const auto& e) { return e.name == "pyvenv.cfg"; }))
      return skip(folder.path + "/", "a virtual environment", false);
    for (const DirectoryEntry& entry : *entries) {
      const std::string path = join_path(folder.path, entry.name);
      const std::string full_path = join_path(folder.full_path, entry.name);
      if (entry.type == FileType::directory) {
        visit_folder(folder, entry.name, path, full_path);
      } else {
        visit_file(folder, entry, path, full_path);
      }
    }
  }

  void visit_folder(const Folder& parent, const std::string& name, const std::string& path,
                    const std::string& full_path) {
    const auto known =
        std::find_if(kSkippedFolders.begin(), kSkippedFolders.end(), [&](const auto& s) { return s.name == name; });
    if (known != kSkippedFolders.end()) return skip(path + "/", std::string(known->reason), false);
    if (excluded(path) || excluded(path + "/")) return skip(path + "/", "excluded", false);
    if (parent.depth + 1 > kMaxDepth) return skip(path + "/", "nested too deeply", true);
    const bool other = parent.asks_git && git_->is_repository(in_git(path));
    const bool submodule = parent.asks_git && git_->knows_file(in_git(path)) && !other;
    if (parent.asks_git && !other && !submodule && !git_->knows_folder(in_git(path)))
      return skip(path + "/", "ignored by git, or empty", false);
    folders_.push_back(
        {path, full_path, parent.depth + 1, parent.vendored || submodule, parent.asks_git && !other && !submodule});
  }

  void visit_file(const Folder& folder, const DirectoryEntry& entry, const std::string& path,
                  const std::string& full_path) {
    if (entry.type == FileType::link) return skip(path, "a link; its target is audited where it lies", false);
    if (entry.type != FileType::regular) return skip(path, "not a regular file", false);
    if (folder.asks_git && !git_->knows_file(in_git(path))) return skip(path, "ignored by git", false);
    if (excluded(path) || !included(path)) return skip(path, "excluded", false);
    const auto info = files_.info(full_path);
    if (!info) return skip(path, info.error().message, true);
    if (info->size > kMaxFileBytes)
      return skip(path, fmt::format("{} bytes are more than the limit of {}", info->size, kMaxFileBytes), false);
    found_.candidates.push_back({path, full_path, info->size, folder.vendored});
  }

  bool included(const std::string& path) const { return options_.include.empty() || any_match(options_.include, path); }
  bool excluded(const std::string& path) const { return any_match(options_.exclude, path); }
  static bool any_match(const std::vector<std::string>& patterns, const std::string& path) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const auto& p) { return path_match(p, path); });
  }

  std::string in_git(const std::string& path) const {
    return git_prefix_.empty() ? path : path.substr(git_prefix_.size() + 1);
  }

  void skip(std::string path, std::string reason, bool problem) {
    found_.skipped.push_back({std::move(path), std::move(reason), problem});
  }

  const AuditOptions& options_;
  const Files& files_;
  const Processes& processes_;
  Discovery& found_;
  std::optional<GitView> git_;
  std::string git_prefix_;
  std::vector<Folder> folders_;
};

/// One root keeps its files' paths short; several need their names in front.
std::string prefix_of(const std::string& root, std::size_t roots) {
  if (roots == 1) return {};
  std::string prefix = root;
  while (prefix.size() > 1 && prefix.back() == '/') prefix.pop_back();
  while (prefix.compare(0, 2, "./") == 0) prefix.erase(0, 2);
  return prefix == "." ? std::string() : prefix;
}

template <typename Row>
void sort_unique(std::vector<Row>& rows) {
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.path < b.path; });
  rows.erase(std::unique(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.path == b.path; }),
             rows.end());
}

}  // namespace

Result<Discovery> discover(const AuditOptions& options, const Files& files, const Processes& processes) {
  Discovery found;
  for (const std::string& root : options.roots) {
    Walk walk(options, files, processes, found);
    TRY_DO(walk.root(root, prefix_of(root, options.roots.size())));
  }
  sort_unique(found.candidates);
  sort_unique(found.skipped);
  return found;
}

}  // namespace accelport
