#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace accelport {

/// A growing byte buffer that keeps its memory from file to file and always has `kPadding` zero bytes behind its text.
class ByteBuffer {
 public:
  static constexpr std::size_t kPadding = 128;

  std::string_view view() const { return {data_.get(), size_}; }
  /// Room for `size` bytes; the contents are undefined until `set_size`.
  char* reserve(std::size_t size);
  /// Declares the first `size` bytes to be the text and clears the padding.
  void set_size(std::size_t size);
  void assign(std::string_view bytes);
  std::size_t capacity() const { return capacity_; }
  void release() { data_.reset(), size_ = capacity_ = 0; }

 private:
  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

enum class FileType : std::uint8_t { regular, directory, link, fifo, socket, device, other };

struct FileInfo {
  FileType type = FileType::other;
  std::uint64_t size = 0;
  std::uint32_t mode = 0;  // permission bits
  std::uint64_t links = 1;
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
};

struct DirectoryEntry {
  std::string name;
  FileType type = FileType::other;
};

/// The file system as the stages see it. Paths are bytes. Nothing here follows a link in the last component, blocks on
/// a pipe or device, or changes anything but through `write`.
class Files {
 public:
  virtual ~Files() = default;

  virtual Result<FileInfo> info(const std::string& path) const = 0;
  /// Entries without "." and "..", sorted by name.
  virtual Result<std::vector<DirectoryEntry>> list(const std::string& directory) const = 0;
  /// Reads a regular file of at most `limit` bytes.
  virtual Result<void> read(const std::string& path, std::uint64_t limit, ByteBuffer& buffer) const = 0;
  /// Replaces (or creates) a file as a whole: readers see the old bytes or the new ones, never a part. A device or pipe
  /// is written to and stays one; a link is refused.
  virtual Result<void> write(const std::string& path, std::string_view bytes) const = 0;
  /// The canonical absolute path of an existing file or folder.
  virtual Result<std::string> canonical(const std::string& path) const = 0;
};

/// Held while this program alone may change something; let go when it is destroyed or the program dies.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

/// A file system in which single steps can be taken, for those who must be able to take them back. Every step happens
/// whole or not at all, but for the two that create a file, which may leave a part of the bytes if the program dies.
/// Nothing follows a link in the last component.
class EditableFiles : public Files {
 public:
  /// Writes a file that must not exist yet, with the permissions and owner of `like`. A failure leaves no file.
  virtual Result<void> create_like(const std::string& path, std::string_view bytes, const FileInfo& like) const = 0;
  /// The same for a file of this user; `mode` is what the user lets new files have of it.
  virtual Result<void> create(const std::string& path, std::string_view bytes, std::uint32_t mode) const = 0;
  /// Another name for the same file; `to` must not exist.
  virtual Result<void> link(const std::string& from, const std::string& to) const = 0;
  /// `to` is replaced if it exists. Two names of one file stay as they are.
  virtual Result<void> rename(const std::string& from, const std::string& to) const = 0;
  virtual Result<void> remove(const std::string& path) const = 0;
  virtual Result<void> make_folder(const std::string& path) const = 0;
  /// A new folder that only this user can enter: `prefix` with something behind it that no other has.
  virtual Result<std::string> make_private_folder(const std::string& prefix) const;
  /// Fails if anything is in it.
  virtual Result<void> remove_folder(const std::string& path) const = 0;
  /// Returns when the file's bytes, or the folder's entries, would survive a loss of power.
  virtual Result<void> sync(const std::string& path) const = 0;
  /// The same for everything on the file system in which the folder lies.
  virtual Result<void> sync_all(const std::string& folder) const = 0;
  /// Fails at once if another program holds the folder.
  virtual Result<std::unique_ptr<FileLock>> lock(const std::string& folder) const = 0;
};

/// The machine's own file system.
const Files& real_files();
const EditableFiles& real_editable_files();

/// Files held in memory, for tests: parents of a file are folders.
class MemoryFiles : public EditableFiles {
 public:
  void put(const std::string& path, std::string bytes) { files_[path] = std::move(bytes); }
  void put_special(const std::string& path, FileType type) { special_[path] = type; }
  /// Every file with its bytes and every folder that was made, which ends in "/".
  std::map<std::string, std::string> contents() const;

  Result<FileInfo> info(const std::string& path) const override;
  Result<std::vector<DirectoryEntry>> list(const std::string& directory) const override;
  Result<void> read(const std::string& path, std::uint64_t limit, ByteBuffer& buffer) const override;
  Result<void> write(const std::string& path, std::string_view bytes) const override;
  Result<std::string> canonical(const std::string& path) const override { return path; }

  Result<void> create_like(const std::string& path, std::string_view bytes, const FileInfo& like) const override;
  Result<void> create(const std::string& path, std::string_view bytes, std::uint32_t mode) const override;
  Result<void> link(const std::string& from, const std::string& to) const override;
  Result<void> rename(const std::string& from, const std::string& to) const override;
  Result<void> remove(const std::string& path) const override;
  Result<void> make_folder(const std::string& path) const override;
  Result<void> remove_folder(const std::string& path) const override;
  Result<void> sync(const std::string& path) const override;
  Result<void> sync_all(const std::string& folder) const override;
  Result<std::unique_ptr<FileLock>> lock(const std::string& folder) const override;

 private:
  bool is_folder(const std::string& path) const;
  void keep_parent(const std::string& path) const;
  Result<void> room_for(const std::string& path) const;

  mutable std::map<std::string, std::string> files_;
  mutable std::map<std::string, std::uint32_t> modes_;  // where it is not 0644
  mutable std::set<std::string> folders_;               // those that exist without a file in them
  std::map<std::string, FileType> special_;
};

/// `directory` + "/" + `name`, without doubling the slash; `name` alone if `directory` is empty or ".".
std::string join_path(std::string_view directory, std::string_view name);

/// Removes a folder with everything in it; links are removed, not followed.
Result<void> remove_tree(const std::string& folder, const EditableFiles& files);

/// A variable of the environment, or empty.
std::string environment_variable(const char* name);

}  // namespace accelport
