#pragma once

#include <cstdint>
#include <map>
#include <memory>
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

/// The machine's own file system.
const Files& real_files();

/// Files held in memory, for tests: parents of a file are folders.
class MemoryFiles : public Files {
 public:
  void put(const std::string& path, std::string bytes) { files_[path] = std::move(bytes); }
  void put_special(const std::string& path, FileType type) { special_[path] = type; }

  Result<FileInfo> info(const std::string& path) const override;
  Result<std::vector<DirectoryEntry>> list(const std::string& directory) const override;
  Result<void> read(const std::string& path, std::uint64_t limit, ByteBuffer& buffer) const override;
  Result<void> write(const std::string& path, std::string_view bytes) const override;
  Result<std::string> canonical(const std::string& path) const override { return path; }

 private:
  mutable std::map<std::string, std::string> files_;
  std::map<std::string, FileType> special_;
};

/// `directory` + "/" + `name`, without doubling the slash; `name` alone if `directory` is empty or ".".
std::string join_path(std::string_view directory, std::string_view name);

/// A variable of the environment, or empty.
std::string environment_variable(const char* name);

}  // namespace accelport
