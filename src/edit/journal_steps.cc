// How the journal takes one file, and then all files, of a port from one content to the other.

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "edit/journal.h"

namespace accelport {
namespace {

const std::optional<Stamp>& stamp_of_side(const Manifest::File& file, bool after) {
  return after ? file.after : file.before;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string name_beside(const Manifest& port, std::size_t k) {
  return join_path(folder_of(port.files[k].path), fmt::format(".accelport-{:04}-{}.tmp", port.number, k));
}

}  // namespace

/// A link in the path would lead out of the tree.
Result<void> Journal::check_parents(const std::string& path) const {
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const auto info = files_.info(at(path.substr(0, slash)));
    if (!info) return {};
    if (info->type != FileType::directory) return fail(Error::Kind::input, "lies behind a link or a file", at(path));
  }
  return {};
}

Result<std::optional<Stamp>> Journal::stamp_at(const std::string& path) const {
  const auto info = files_.info(at(path));
  if (!info) return std::optional<Stamp>();
  ByteBuffer bytes;
  TRY_DO(files_.read(at(path), info->size + 1, bytes));
  return std::optional(stamp_of(bytes.view()));
}

/// Keeps the content that leaves the tree, without needing room for it where the file system can.
Result<void> Journal::keep_other(const Manifest& port, std::size_t k, bool forward) const {
  const std::string from = at(port.files[k].path), to = at(port.kept(k, !forward));
  if (files_.info(to)) {
    TRY(const auto kept, stamp_at(port.kept(k, !forward)));
    if (kept == stamp_of_side(port.files[k], !forward)) return {};
    TRY_DO(files_.remove(to));
  }
  if (files_.link(from, to)) return {};
  TRY(const FileInfo like, files_.info(from));
  ByteBuffer bytes;
  TRY_DO(files_.read(from, like.size, bytes));
  TRY_DO(files_.create_like(to, bytes.view(), like));
  return files_.sync(to);
}

/// Across file systems nothing can be renamed: a copy beside the file takes its place then.
Result<void> Journal::place_copy(const Manifest& port, std::size_t k, const std::string& from) const {
  const std::string target = at(port.files[k].path), beside = at(name_beside(port, k));
  TRY(const FileInfo like, files_.info(from));
  ByteBuffer bytes;
  TRY_DO(files_.read(from, like.size, bytes));
  Result<void> done = files_.create_like(beside, bytes.view(), like);
  if (!done) return done;
  done = files_.sync(beside);
  if (done) done = files_.rename(beside, target);
  if (!done) static_cast<void>(files_.remove(beside));
  return done;
}

Result<void> Journal::place(const Manifest& port, std::size_t k, bool forward) const {
  const std::string from = port.kept(k, forward);
  const auto info = files_.info(at(from));
  if (!info || info->type != FileType::regular) return fail(Error::Kind::input, "is missing in the journal", at(from));
  TRY(const auto kept, stamp_at(from));
  if (kept != stamp_of_side(port.files[k], forward))
    return fail(Error::Kind::input, "was changed in the journal", at(from));
  return files_.rename(at(from), at(port.files[k].path)) ? Result<void>() : place_copy(port, k, at(from));
}

Result<void> Journal::foreign_file(const Manifest& port, const Manifest::File& file) const {
  return fail(Error::Kind::input, "was changed while it was ported", at(file.path),
              "both contents are in " + at(port.folder()) + "; remove that folder to keep all files as they are");
}

Result<void> Journal::refuse_foreign(const Manifest& port) const {
  for (const Manifest::File& file : port.files) {
    TRY_DO(check_parents(file.path));
    TRY(const auto now, stamp_at(file.path));
    if (now != file.before && now != file.after) return foreign_file(port, file);
  }
  return {};
}

Result<void> Journal::settle(const Manifest& port, std::size_t k, bool forward, Foreign foreign) const {
  const Manifest::File& file = port.files[k];
  TRY_DO(check_port_path(file.path));
  TRY_DO(check_parents(file.path));
  if (files_.info(at(name_beside(port, k)))) TRY_DO(files_.remove(at(name_beside(port, k))));
  TRY(const auto now, stamp_at(file.path));
  const std::optional<Stamp>& wanted = stamp_of_side(file, forward);
  if (now == wanted) return {};
  if (now != stamp_of_side(file, !forward))
    return foreign == Foreign::leave ? Result<void>() : foreign_file(port, file);
  if (now) TRY_DO(keep_other(port, k, forward));
  return wanted ? place(port, k, forward) : files_.remove(at(file.path));
}

Result<void> Journal::make_folders(const Manifest& port) const {
  for (const std::string& folder : port.folders) {
    TRY_DO(check_port_path(folder));
    TRY_DO(check_parents(folder));
    if (!files_.info(at(folder))) TRY_DO(files_.make_folder(at(folder)));
  }
  return {};
}

Result<void> Journal::go(const Manifest& port, bool forward, Foreign foreign) const {
  if (forward) TRY_DO(make_folders(port));
  for (std::size_t k = 0; k < port.files.size(); ++k) TRY_DO(settle(port, k, forward, foreign));
  if (!forward)
    for (auto folder = port.folders.rbegin(); folder != port.folders.rend(); ++folder)
      if (check_port_path(*folder) && check_parents(*folder))
        static_cast<void>(files_.remove_folder(at(*folder)));  // stays if somebody put something into it
  return sync_tree(port);
}

Result<void> Journal::sync_tree(const Manifest& port) const {
  constexpr std::size_t kManyFolders = 16;
  std::set<std::string> folders;
  for (const Manifest::File& file : port.files) folders.insert(folder_of(file.path));
  if (folders.size() > kManyFolders) return files_.sync_all(at(kJournalFolder));
  for (const std::string& folder : folders) {
    const std::string path = folder.empty() ? (root_.empty() ? "." : root_) : at(folder);
    if (files_.info(path)) TRY_DO(files_.sync(path));
  }
  return {};
}

/// The list goes last: as long as it is there, the rest can be gone.
Result<void> Journal::remove_port(const Manifest& port) const {
  const std::string folder = at(port.folder());
  if (!files_.info(folder)) return {};
  TRY(const auto entries, files_.list(folder));
  const std::string_view list = to_string(port.state);
  for (const DirectoryEntry& entry : entries)
    if (entry.name != list) TRY_DO(files_.remove(join_path(folder, entry.name)));
  if (!list.empty() && files_.info(join_path(folder, list))) TRY_DO(files_.remove(join_path(folder, list)));
  return files_.remove_folder(folder);
}

/// A tree without ports keeps no trace of the journal. What still lies there makes the removal fail, and stays.
void Journal::remove_empty() const {
  const auto entries = files_.list(at(kJournalFolder));
  if (!entries || std::any_of(entries->begin(), entries->end(), [](const auto& e) { return e.name != ".gitignore"; }))
    return;
  static_cast<void>(files_.remove(at(kJournalFolder) + "/.gitignore"));
  static_cast<void>(files_.remove_folder(at(kJournalFolder)));
  static_cast<void>(files_.remove_folder(at(kToolFolder)));
}

}  // namespace accelport
