#include "audit/git_changes.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <unordered_set>

#include <fmt/core.h>

#include "audit/discover.h"
#include "audit/git.h"
#include "base/sha1.h"

namespace accelport {
namespace {

struct Tracked {
  std::string path;
  std::string object;  // in the index
  std::uint64_t size = 0;
  bool changed = false;
};

/// "H 100644 OBJECT STAGE\tPATH"; nothing for what is no file in the tree (links, submodules, left out by sparsity).
std::optional<Tracked> parse_entry(std::string_view entry) {
  const std::size_t tab = entry.find('\t');
  if (tab == std::string_view::npos || entry.size() < 10 || entry.substr(2, 3) != "100" || entry[0] == 'S')
    return std::nullopt;
  const std::string_view head = entry.substr(9, tab - 9);
  const std::size_t blank = head.rfind(' ');
  Tracked tracked{std::string(entry.substr(tab + 1)), std::string(head.substr(0, blank)), 0, false};
  tracked.changed = head.substr(blank + 1) != "0" || tracked.path.find('\n') != std::string::npos;
  return tracked;
}

Result<std::string> ask(ProcessRequest request, const Processes& processes, std::string input = {}) {
  request.input = std::move(input);
  TRY(ProcessResult answer, processes.run(request));
  if (answer.exit_code != 0 || answer.timed_out)
    return fail(Error::Kind::system, "git does not answer: " + answer.error_output, {},
                "--allow-dirty goes on without");
  return std::move(answer.output);
}

Result<std::vector<Tracked>> tracked_files(const std::string& root, const Processes& processes) {
  TRY(const std::string listed, ask(git_request(root, {"ls-files", "-s", "-t", "-z", "--", "."}), processes));
  std::vector<Tracked> all;
  for (std::size_t begin = 0; begin < listed.size();) {
    const std::size_t end = std::min(listed.find('\0', begin), listed.size());
    if (auto tracked = parse_entry(std::string_view(listed).substr(begin, end - begin)))
      all.push_back(std::move(*tracked));
    begin = end + 1;
  }
  return all;
}

/// Marks what the index has otherwise than the commit, and learns the sizes.
Result<void> compare_with_head(const std::string& root, const std::string& head, const Processes& processes,
                               std::vector<Tracked>& all) {
  std::string questions;
  for (const Tracked& tracked : all)
    if (!tracked.changed) questions += head + ":./" + tracked.path + "\n";
  if (questions.empty()) return {};
  TRY(const std::string answers,
      ask(git_request(root, {"cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"}), processes,
          std::move(questions)));
  std::string_view rest = answers;
  for (Tracked& tracked : all) {
    if (tracked.changed) continue;
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t blank = line.rfind(' ');
    tracked.changed = blank == std::string_view::npos || line.substr(0, line.find(' ')) != tracked.object;
    if (!tracked.changed) std::from_chars(line.data() + blank + 1, line.data() + line.size(), tracked.size);
  }
  return {};
}

/// What stands in the commit in place of a large file: "version https://git-lfs…" with a line "size N".
bool is_large_file(std::string_view pointer, std::uint64_t size) {
  return pointer.substr(0, 24) == "version https://git-lfs." &&
         pointer.find(fmt::format("\nsize {}\n", size)) != std::string_view::npos;
}

std::string with_unix_line_ends(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') out += text[i];
  return out;
}

enum class DiskState { same, changed, perhaps_large };

DiskState compare_with_disk(const std::string& root, const Tracked& tracked, const Files& files) {
  constexpr std::uint64_t kLargestPointer = 1024;
  const std::string path = join_path(root, tracked.path);
  const auto info = files.info(path);
  if (!info || info->type != FileType::regular) return DiskState::changed;
  const DiskState otherwise = tracked.size <= kLargestPointer ? DiskState::perhaps_large : DiskState::changed;
  if (info->size < tracked.size) return otherwise;
  if (info->size > kMaxFileBytes) return info->size == tracked.size ? DiskState::same : otherwise;
  ByteBuffer bytes;
  if (!files.read(path, kMaxFileBytes, bytes)) return DiskState::changed;
  if (info->size == tracked.size && git_blob_name(bytes.view()) == tracked.object) return DiskState::same;
  const std::string plain = with_unix_line_ends(bytes.view());
  if (plain.size() != bytes.view().size() && git_blob_name(plain) == tracked.object) return DiskState::same;
  return otherwise;
}

/// Marks the files that the disk has otherwise than the index.
Result<void> compare_all(const std::string& root, const Files& files, const Processes& processes,
                         std::vector<Tracked>& all) {
  std::vector<Tracked*> small;
  std::vector<std::string> paths;
  for (Tracked& tracked : all) {
    if (tracked.changed) continue;
    const DiskState verdict = compare_with_disk(root, tracked, files);
    tracked.changed = verdict != DiskState::same;
    if (verdict != DiskState::perhaps_large) continue;
    small.push_back(&tracked);
    paths.push_back(tracked.path);
  }
  if (small.empty()) return {};
  TRY(const auto pointers, read_revision(root, "HEAD", paths, processes));
  for (std::size_t i = 0; i < small.size(); ++i) {
    const auto info = files.info(join_path(root, paths[i]));
    if (info && pointers[i] && is_large_file(*pointers[i], info->size)) small[i]->changed = false;
  }
  return {};
}

/// Names of SHA-256 repositories are not ours to make: there the wanted files' bytes are compared.
Result<void> compare_bytes(const std::string& root, const std::vector<std::string>& wanted, const Files& files,
                           const Processes& processes, std::set<std::string>& changed) {
  TRY(const auto contents, read_revision(root, "HEAD", wanted, processes));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ByteBuffer bytes;
    const bool there = files.read(join_path(root, wanted[i]), kMaxFileBytes, bytes).has_value();
    if (there && (!contents[i] || with_unix_line_ends(*contents[i]) != with_unix_line_ends(bytes.view())))
      changed.insert(wanted[i]);
  }
  return {};
}

}  // namespace

Result<std::optional<GitChanges>> git_changes(const std::string& root, const std::vector<std::string>& wanted,
                                              const Files& files, const Processes& processes) {
  if (!is_work_tree(root, files, processes)) {
    if (!files.info(join_path(root, ".git"))) return std::optional<GitChanges>();
    return fail(Error::Kind::system, "git does not read this repository, so it cannot say what has changed", root,
                "--allow-dirty goes on without");
  }
  GitChanges changes;
  const auto head = processes.run(git_request(root, {"rev-parse", "--verify", "--quiet", "HEAD^{commit}"}));
  if (head && head->exit_code == 0) changes.head = head->output.substr(0, head->output.find('\n'));
  TRY(std::vector<Tracked> all, tracked_files(root, processes));
  std::set<std::string> changed;
  const bool has_names = all.empty() || all[0].object.size() == 40;
  if (changes.head.empty()) {
    for (Tracked& tracked : all) tracked.changed = true;
  } else if (has_names) {
    TRY_DO(compare_with_head(root, changes.head, processes, all));
    TRY_DO(compare_all(root, files, processes, all));
  } else {
    TRY_DO(compare_bytes(root, wanted, files, processes, changed));
  }
  std::unordered_set<std::string_view> known;
  for (const Tracked& tracked : all) {
    known.insert(tracked.path);
    if (tracked.changed) changed.insert(tracked.path);
  }
  for (const std::string& path : wanted)
    if (known.count(path) == 0 && files.info(join_path(root, path))) changed.insert(path);
  changes.paths.assign(changed.begin(), changed.end());
  return std::optional(std::move(changes));
}

}  // namespace accelport
