#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/files.h"

namespace accelport::test {

/// Another file system in which one step goes wrong: each operation that changes something counts, and `before` is
/// asked with its number. What it gives as an error is the operation's error; a file that was being created is then
/// left half written if `half` is set, as after a loss of power.
class FaultyEdits : public EditableFiles {
 public:
  explicit FaultyEdits(const EditableFiles& files) : files_(files) {}

  std::function<Result<void>(int number)> before;
  bool half = false;
  bool sync_nothing = false;  // for tests in which the machine itself stays up
  int operations() const { return operations_; }

  Result<FileInfo> info(const std::string& path) const override { return files_.info(path); }
  Result<std::vector<DirectoryEntry>> list(const std::string& path) const override { return files_.list(path); }
  Result<void> read(const std::string& path, std::uint64_t limit, ByteBuffer& buffer) const override {
    return files_.read(path, limit, buffer);
  }
  Result<std::string> canonical(const std::string& path) const override { return files_.canonical(path); }
  Result<std::unique_ptr<FileLock>> lock(const std::string& folder) const override { return files_.lock(folder); }

  Result<void> write(const std::string& path, std::string_view bytes) const override {
    TRY_DO(step());
    return files_.write(path, bytes);
  }
  Result<void> create_like(const std::string& path, std::string_view bytes, const FileInfo& like) const override {
    if (auto stepped = step(); !stepped) return broken_file(path, bytes, stepped);
    return files_.create_like(path, bytes, like);
  }
  Result<void> create(const std::string& path, std::string_view bytes, std::uint32_t mode) const override {
    if (auto stepped = step(); !stepped) return broken_file(path, bytes, stepped);
    return files_.create(path, bytes, mode);
  }
  Result<void> link(const std::string& from, const std::string& to) const override {
    TRY_DO(step());
    return files_.link(from, to);
  }
  Result<void> rename(const std::string& from, const std::string& to) const override {
    TRY_DO(step());
    return files_.rename(from, to);
  }
  Result<void> remove(const std::string& path) const override {
    TRY_DO(step());
    return files_.remove(path);
  }
  Result<void> make_folder(const std::string& path) const override {
    TRY_DO(step());
    return files_.make_folder(path);
  }
  Result<void> remove_folder(const std::string& path) const override {
    TRY_DO(step());
    return files_.remove_folder(path);
  }
  Result<void> sync(const std::string& path) const override {
    TRY_DO(step());
    return sync_nothing ? Result<void>() : files_.sync(path);
  }
  Result<void> sync_all(const std::string& folder) const override {
    TRY_DO(step());
    return sync_nothing ? Result<void>() : files_.sync_all(folder);
  }

 private:
  Result<void> step() const { return before ? before(operations_++) : (++operations_, Result<void>()); }
  Result<void> broken_file(const std::string& path, std::string_view bytes, Result<void> why) const {
    if (half) static_cast<void>(files_.create(path, bytes.substr(0, bytes.size() / 2), 0644));
    return why;
  }

  const EditableFiles& files_;
  mutable int operations_ = 0;
};

}  // namespace accelport::test
