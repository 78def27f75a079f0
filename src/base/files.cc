#include "base/files.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

namespace accelport {
namespace {

tl::unexpected<Error> system_failure(std::string_view what, const std::string& path, int code) {
  return fail(Error::Kind::system, fmt::format("cannot {}: {}", what, std::strerror(code)), path);
}

FileType type_of_mode(mode_t mode) {
  if (S_ISREG(mode)) return FileType::regular;
  if (S_ISDIR(mode)) return FileType::directory;
  if (S_ISLNK(mode)) return FileType::link;
  if (S_ISFIFO(mode)) return FileType::fifo;
  if (S_ISSOCK(mode)) return FileType::socket;
  return S_ISCHR(mode) || S_ISBLK(mode) ? FileType::device : FileType::other;
}

FileType type_of_entry(const std::string& directory, const dirent& entry) {
  switch (entry.d_type) {
    case DT_REG:
      return FileType::regular;
    case DT_DIR:
      return FileType::directory;
    case DT_LNK:
      return FileType::link;
    case DT_FIFO:
      return FileType::fifo;
    case DT_SOCK:
      return FileType::socket;
    case DT_CHR:
    case DT_BLK:
      return FileType::device;
    default:
      break;
  }
  struct stat status;
  if (lstat(join_path(directory, entry.d_name).c_str(), &status) != 0) return FileType::other;
  return type_of_mode(status.st_mode);
}

/// Closes a descriptor when the scope ends.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  int get() const { return value_; }

 private:
  int value_;
};

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Gives a new file its model's owner and permissions, in this order: changing the owner takes permissions away.
bool make_like(int file, const FileInfo& like) {
  struct stat now;
  if (fstat(file, &now) != 0) return false;
  if (now.st_gid != like.group && fchown(file, static_cast<uid_t>(-1), like.group) != 0 && errno != EPERM) return false;
  if (now.st_uid != like.owner && fchown(file, like.owner, static_cast<gid_t>(-1)) != 0) return false;
  return fchmod(file, like.mode) == 0;
}

class RealLock final : public FileLock {
 public:
  explicit RealLock(int descriptor) : descriptor_(descriptor) {}
  ~RealLock() override { close(descriptor_); }

 private:
  int descriptor_;
};

Result<void> done(int code, std::string_view what, const std::string& path) {
  return code == 0 ? Result<void>() : system_failure(what, path, errno);
}

class RealFiles final : public EditableFiles {
 public:
  Result<FileInfo> info(const std::string& path) const override {
    struct stat status;
    if (lstat(path.c_str(), &status) != 0) return system_failure("look at it", path, errno);
    return FileInfo{type_of_mode(status.st_mode),
                    static_cast<std::uint64_t>(status.st_size),
                    status.st_mode & 07777,
                    static_cast<std::uint64_t>(status.st_nlink),
                    status.st_uid,
                    status.st_gid};
  }

  Result<std::vector<DirectoryEntry>> list(const std::string& directory) const override {
    DIR* const handle = opendir(directory.empty() ? "." : directory.c_str());
    if (handle == nullptr) return system_failure("open the folder", directory, errno);
    std::vector<DirectoryEntry> entries;
    while (const dirent* entry = readdir(handle)) {
      if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
      entries.push_back({entry->d_name, type_of_entry(directory, *entry)});
    }
    closedir(handle);
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return entries;
  }

  Result<void> read(const std::string& path, std::uint64_t limit, ByteBuffer& buffer) const override {
    // O_NONBLOCK keeps a pipe that took the file's place from blocking us; O_NOFOLLOW keeps links from leading out.
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY));
    if (file.get() < 0) return system_failure("open it", path, errno);
    struct stat status;
    if (fstat(file.get(), &status) != 0) return system_failure("look at it", path, errno);
    if (!S_ISREG(status.st_mode)) return fail(Error::Kind::input, "not a regular file", path);
    if (static_cast<std::uint64_t>(status.st_size) > limit) return too_large(path, status.st_size, limit);
    return read_all(file.get(), path, limit, static_cast<std::size_t>(status.st_size), buffer);
  }

  Result<void> write(const std::string& path, std::string_view bytes) const override {
    struct stat old;
    const bool exists = lstat(path.c_str(), &old) == 0;
    if (exists && !S_ISREG(old.st_mode)) return write_through(path, old.st_mode, bytes);
    std::string temporary = path + ".accelport-XXXXXX";
    const Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));
    if (file.get() < 0) return system_failure("create a file beside it", path, errno);
    const mode_t mode = exists ? old.st_mode & 07777 : 0644;
    if (write_all(file.get(), bytes) && fchmod(file.get(), mode) == 0 && fsync(file.get()) == 0 &&
        ::rename(temporary.c_str(), path.c_str()) == 0)
      return {};
    const int code = errno;
    unlink(temporary.c_str());
    return system_failure("write it", path, code);
  }

  Result<std::string> canonical(const std::string& path) const override {
    char resolved[PATH_MAX];
    if (realpath(path.empty() ? "." : path.c_str(), resolved) == nullptr) return system_failure("find it", path, errno);
    return std::string(resolved);
  }

  Result<void> create_like(const std::string& path, std::string_view bytes, const FileInfo& like) const override {
    return create_new(path, bytes, 0600, &like);
  }
  Result<void> create(const std::string& path, std::string_view bytes, std::uint32_t mode) const override {
    return create_new(path, bytes, mode, nullptr);
  }

  Result<void> link(const std::string& from, const std::string& to) const override {
    return done(::link(from.c_str(), to.c_str()), "link it", to);
  }
  Result<void> rename(const std::string& from, const std::string& to) const override {
    return done(::rename(from.c_str(), to.c_str()), "put it in its place", to);
  }
  Result<void> remove(const std::string& path) const override { return done(unlink(path.c_str()), "remove it", path); }
  Result<void> make_folder(const std::string& path) const override {
    return done(mkdir(path.c_str(), 0777), "make the folder", path);
  }
  Result<std::string> make_private_folder(const std::string& prefix) const override {
    std::string path = prefix + "XXXXXX";
    if (mkdtemp(path.data()) == nullptr) return system_failure("make a folder", path, errno);
    return path;
  }
  Result<void> remove_folder(const std::string& path) const override {
    return done(rmdir(path.c_str()), "remove the folder", path);
  }

  Result<void> sync(const std::string& path) const override {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY));
    if (file.get() < 0) return system_failure("open it", path, errno);
    // Some file systems have nothing to do for a folder and say so with an error.
    if (fsync(file.get()) == 0 || errno == EINVAL || errno == EROFS) return {};
    return system_failure("make it safe on the disk", path, errno);
  }

  Result<void> sync_all(const std::string& folder) const override {
    const Descriptor file(open(folder.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW));
    if (file.get() < 0) return system_failure("open the folder", folder, errno);
    return done(syncfs(file.get()), "make it safe on the disk", folder);
  }

  Result<std::unique_ptr<FileLock>> lock(const std::string& folder) const override {
    const int file = open(folder.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW);
    if (file < 0) return system_failure("open the folder", folder, errno);
    std::unique_ptr<FileLock> lock = std::make_unique<RealLock>(file);
    // A file system without locks has none to wait for.
    if (flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return lock;
    return fail(Error::Kind::system, "another program is changing this tree", folder, "wait until it has ended");
  }

 private:
  static Result<void> create_new(const std::string& path, std::string_view bytes, mode_t mode, const FileInfo* like) {
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
    if (file.get() < 0) return system_failure("create it", path, errno);
    if (write_all(file.get(), bytes) && (like == nullptr || make_like(file.get(), *like))) return {};
    const int code = errno;
    unlink(path.c_str());
    return system_failure("write it", path, code);
  }

  /// A device or pipe takes the bytes and stays what it is; renaming a file over /dev/null would take it from
  /// everybody.
  static Result<void> write_through(const std::string& path, mode_t mode, std::string_view bytes) {
    if (S_ISLNK(mode))
      return fail(Error::Kind::input, "a link; nothing is written through it", path, "name its target");
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    if (file.get() < 0) return system_failure("write to it", path, errno);
    fcntl(file.get(), F_SETFL, 0);
    return write_all(file.get(), bytes) ? Result<void>() : system_failure("write to it", path, errno);
  }

  static tl::unexpected<Error> too_large(const std::string& path, std::uint64_t size, std::uint64_t limit) {
    return fail(Error::Kind::input, fmt::format("{} bytes are more than the limit of {}", size, limit), path);
  }

  static Result<void> read_all(int file, const std::string& path, std::uint64_t limit, std::size_t expected,
                               ByteBuffer& buffer) {
    std::size_t size = 0;
    std::size_t room = expected + 1;  // one byte more shows that the file has grown
    for (;;) {
      char* const data = buffer.reserve(room);
      const ssize_t got = ::read(file, data + size, room - size);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return system_failure("read it", path, errno);
      size += static_cast<std::size_t>(got);
      if (got == 0 || size < room) break;
      if (size > limit) return too_large(path, size, limit);
      room = size * 2;
    }
    buffer.set_size(size);
    return {};
  }
};

}  // namespace

char* ByteBuffer::reserve(std::size_t size) {
  if (size + kPadding > capacity_) {
    const std::size_t capacity = std::max(size + kPadding, capacity_ + capacity_ / 2);
    std::unique_ptr<char[]> larger(new char[capacity]);
    if (data_) std::memcpy(larger.get(), data_.get(), capacity_);
    data_ = std::move(larger);
    capacity_ = capacity;
  }
  return data_.get();
}

void ByteBuffer::set_size(std::size_t size) {
  ACCELPORT_CHECK(size + kPadding <= capacity_);
  size_ = size;
  std::memset(data_.get() + size, 0, kPadding);
}

void ByteBuffer::assign(std::string_view bytes) {
  char* const data = reserve(bytes.size());
  if (!bytes.empty()) std::memcpy(data, bytes.data(), bytes.size());
  set_size(bytes.size());
}

const EditableFiles& real_editable_files() {
  static const RealFiles files;
  return files;
}

const Files& real_files() { return real_editable_files(); }

Result<std::string> EditableFiles::make_private_folder(const std::string& prefix) const {
  TRY_DO(make_folder(prefix));
  return prefix;
}

Result<void> remove_tree(const std::string& folder, const EditableFiles& files) {
  TRY(const std::vector<DirectoryEntry> entries, files.list(folder));
  for (const DirectoryEntry& entry : entries) {
    const std::string path = join_path(folder, entry.name);
    TRY_DO(entry.type == FileType::directory ? remove_tree(path, files) : files.remove(path));
  }
  return files.remove_folder(folder);
}

std::string join_path(std::string_view directory, std::string_view name) {
  if (directory.empty() || directory == ".") return std::string(name);
  std::string path(directory);
  if (path.back() != '/') path += '/';
  return path.append(name);
}

std::string environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace accelport
