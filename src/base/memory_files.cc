#include "base/files.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/core.h>

namespace accelport {
namespace {

tl::unexpected<Error> system_failure(std::string_view what, const std::string& path, int code) {
  return fail(Error::Kind::system, fmt::format("cannot {}: {}", what, std::strerror(code)), path);
}

/// "./a/b/." is "a/b", and the root is "".
std::string plain(std::string_view path) {
  while (path.substr(0, 2) == "./") path.remove_prefix(2);
  while (path.size() > 1 && (path.back() == '/' || path.substr(path.size() - 2) == "/.")) path.remove_suffix(1);
  return std::string(path == "." ? std::string_view() : path);
}

}  // namespace

Result<FileInfo> MemoryFiles::info(const std::string& asked) const {
  const std::string path = plain(asked);
  if (const auto special = special_.find(path); special != special_.end()) return FileInfo{special->second, 0, 0644, 1};
  if (const auto file = files_.find(path); file != files_.end())
    return FileInfo{FileType::regular, file->second.size(), modes_.count(path) != 0 ? modes_.at(path) : 0644, 1};
  if (is_folder(path)) return FileInfo{FileType::directory, 0, 0755, 1};
  return system_failure("look at it", path, ENOENT);
}

Result<std::vector<DirectoryEntry>> MemoryFiles::list(const std::string& directory) const {
  const std::string path = plain(directory);
  const std::string prefix = path.empty() ? "" : path + "/";
  std::map<std::string, FileType> found;
  const auto add = [&](const std::string& file, FileType type) {
    if (file.compare(0, prefix.size(), prefix) != 0) return;
    const std::size_t slash = file.find('/', prefix.size());
    const std::string name = file.substr(prefix.size(), slash == std::string::npos ? slash : slash - prefix.size());
    if (!name.empty()) found.emplace(name, slash == std::string::npos ? type : FileType::directory);
  };
  for (const auto& [file, bytes] : files_) add(file, FileType::regular);
  for (const auto& [file, type] : special_) add(file, type);
  for (const std::string& folder : folders_) add(folder + "/", FileType::directory);
  if (found.empty() && !is_folder(path)) return system_failure("open the folder", directory, ENOENT);
  std::vector<DirectoryEntry> entries;
  for (const auto& [name, type] : found) entries.push_back({name, type});
  return entries;
}

Result<void> MemoryFiles::read(const std::string& path, std::uint64_t limit, ByteBuffer& buffer) const {
  const auto file = files_.find(plain(path));
  if (file == files_.end()) return system_failure("open it", path, ENOENT);
  if (file->second.size() > limit) return fail(Error::Kind::input, "larger than the limit", path);
  buffer.assign(file->second);
  return {};
}

Result<void> MemoryFiles::write(const std::string& path, std::string_view bytes) const {
  files_[plain(path)] = std::string(bytes);
  return {};
}

std::map<std::string, std::string> MemoryFiles::contents() const {
  std::map<std::string, std::string> all = files_;
  for (const std::string& folder : folders_) all[folder + "/"] = "";
  return all;
}

bool MemoryFiles::is_folder(const std::string& path) const {
  if (path.empty() || folders_.count(path) != 0) return true;
  const auto below = files_.lower_bound(path + "/");
  return below != files_.end() && below->first.compare(0, path.size() + 1, path + "/") == 0;
}

/// A folder stays when the last file in it goes.
void MemoryFiles::keep_parent(const std::string& path) const {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string::npos) folders_.insert(path.substr(0, slash));
}

Result<void> MemoryFiles::room_for(const std::string& path) const {
  if (info(path)) return system_failure("create it", path, EEXIST);
  const std::size_t slash = path.rfind('/');
  if (slash != std::string::npos && !is_folder(path.substr(0, slash))) return system_failure("create it", path, ENOENT);
  return {};
}

Result<void> MemoryFiles::create_like(const std::string& path, std::string_view bytes, const FileInfo& like) const {
  return create(path, bytes, like.mode);
}

Result<void> MemoryFiles::create(const std::string& asked, std::string_view bytes, std::uint32_t mode) const {
  const std::string path = plain(asked);
  TRY_DO(room_for(path));
  files_[path] = std::string(bytes);
  modes_[path] = mode;
  return {};
}

Result<void> MemoryFiles::link(const std::string& from, const std::string& to) const {
  const auto file = files_.find(plain(from));
  if (file == files_.end()) return system_failure("link it", from, ENOENT);
  TRY(const FileInfo like, info(from));
  return create(to, std::string(file->second), like.mode);
}

Result<void> MemoryFiles::rename(const std::string& asked_from, const std::string& asked_to) const {
  const std::string from = plain(asked_from), to = plain(asked_to);
  const auto file = files_.find(from);
  if (file == files_.end()) return system_failure("put it in its place", to, ENOENT);
  if (files_.count(to) == 0) TRY_DO(room_for(to));
  TRY(const FileInfo like, info(from));
  std::string bytes = std::move(file->second);
  keep_parent(from);
  files_.erase(file);
  files_[to] = std::move(bytes);
  modes_[to] = like.mode;
  return {};
}

Result<void> MemoryFiles::remove(const std::string& asked) const {
  const std::string path = plain(asked);
  if (files_.erase(path) == 0) return system_failure("remove it", path, ENOENT);
  modes_.erase(path);
  keep_parent(path);
  return {};
}

Result<void> MemoryFiles::make_folder(const std::string& asked) const {
  const std::string path = plain(asked);
  TRY_DO(room_for(path));
  keep_parent(path);
  folders_.insert(path);
  return {};
}

Result<void> MemoryFiles::remove_folder(const std::string& asked) const {
  const std::string path = plain(asked);
  if (!is_folder(path)) return system_failure("remove the folder", path, ENOENT);
  TRY(const auto entries, list(path));
  if (!entries.empty()) return system_failure("remove the folder", path, ENOTEMPTY);
  keep_parent(path);
  folders_.erase(path);
  return {};
}

Result<void> MemoryFiles::sync(const std::string& path) const {
  return info(path) ? Result<void>() : system_failure("open it", path, ENOENT);
}

Result<void> MemoryFiles::sync_all(const std::string& folder) const { return sync(folder); }

Result<std::unique_ptr<FileLock>> MemoryFiles::lock(const std::string& folder) const {
  TRY_DO(sync(folder));
  return std::make_unique<FileLock>();
}

}  // namespace accelport
