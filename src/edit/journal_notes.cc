// What the journal keeps beside the files of a port: a note, and for how long.

#include "edit/journal.h"

namespace accelport {

std::optional<Journal::Note> Journal::note() const {
  const auto all = ports();
  if (!all || all->empty() || all->back().state != PortState::applied) return std::nullopt;
  for (const bool settled : {false, true}) {
    constexpr std::uint64_t kMost = 4096;
    ByteBuffer bytes;
    if (files_.read(at(all->back().folder()) + (settled ? kSettledNote : kNote), kMost, bytes))
      return Note{std::string(bytes.view()), settled};
  }
  return std::nullopt;
}

Result<void> Journal::settle_note() const {
  TRY(const auto all, ports());
  if (all.empty()) return {};
  const std::string folder = at(all.back().folder());
  if (!files_.info(folder + kNote)) return {};
  TRY_DO(files_.rename(folder + kNote, folder + kSettledNote));
  return files_.sync(folder);
}

Result<void> Journal::drop_note() const {
  TRY(const auto all, ports());
  if (all.empty()) return {};
  for (const char* name : {kNote, kSettledNote})
    if (const std::string path = at(all.back().folder()) + name; files_.info(path)) TRY_DO(files_.remove(path));
  return {};
}

/// Without its list a port counts as one that never happened, so the list goes first: what then stays is thrown away by
/// the next run.
Result<void> Journal::forget(Manifest port) const {
  TRY_DO(files_.remove(join_path(at(port.folder()), to_string(port.state))));
  port.state = PortState::none;
  return remove_port(port);
}

/// A port that cannot be removed does no harm.
void Journal::prune(const std::vector<Manifest>& older) const {
  for (std::size_t i = 0; i + kKeptPorts - 1 < older.size(); ++i)
    if (older[i].state == PortState::applied) static_cast<void>(forget(older[i]));
}

Result<void> Journal::discard() {
  TRY_DO(hold());
  TRY(const std::vector<Manifest> all, ports());
  for (const Manifest& port : all) TRY_DO(port.state == PortState::none ? remove_port(port) : forget(port));
  remove_empty();
  return {};
}

/// What lies in the tree now is what the port has left, as far as going back is concerned. A file that is as it was
/// before the port has nothing to take back. The list keeps its order, by which the contents are named.
Result<void> Journal::take_as_ours(Manifest& port) const {
  bool changed = false;
  for (Manifest::File& file : port.files) {
    TRY_DO(check_parents(file.path));
    TRY(const auto now, stamp_at(file.path));
    if (now == file.after || now == file.before) continue;
    file.after = now;
    changed = true;
  }
  return changed ? save_list(port, port.state) : Result<void>();
}

}  // namespace accelport
