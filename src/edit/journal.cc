#include "edit/journal.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include <fmt/core.h>

namespace accelport {
namespace {

constexpr const char* kRecordLines = "/record-lines";
constexpr std::size_t kManyFiles = 16;  // from here on one flush of the file system is cheaper than one a file

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string counted_files(std::size_t number) { return fmt::format("{} file{}", number, number == 1 ? "" : "s"); }

/// The folders above the files that do not exist yet, outer ones first.
std::vector<std::string> missing_folders(const std::vector<JournalStep>& steps, const std::string& root,
                                         const Files& files) {
  std::set<std::string> missing;
  for (const JournalStep& step : steps)
    for (std::string folder = parent_of(step.path); !folder.empty(); folder = parent_of(folder)) {
      if (files.info(join_path(root, folder))) break;
      if (folder != kToolFolder) missing.insert(folder);
    }
  return {missing.begin(), missing.end()};
}

/// The lines of `text`, each with its end.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

}  // namespace

std::optional<std::string> Journal::interrupted(const std::string& root, const Files& files) {
  const auto ports = read_ports(root, files);
  if (!ports) return to_string(ports.error());
  for (const Manifest& port : *ports)
    if (port.state == PortState::apply || port.state == PortState::undo)
      return fmt::format("{}: a port of {} was interrupted; the next `accelport port` {} it", root,
                         counted_files(port.files.size()), port.state == PortState::apply ? "finishes" : "takes back");
  return std::nullopt;
}

/// The lock is the journal's folder itself, so a program that dies leaves none behind.
Result<void> Journal::hold() {
  if (lock_ != nullptr && files_.info(at(kJournalFolder))) return {};
  for (const char* folder : {kToolFolder, kJournalFolder}) {
    const auto info = files_.info(at(folder));
    if (!info) TRY_DO(files_.make_folder(at(folder)));
    if (info && info->type != FileType::directory) return fail(Error::Kind::input, "not a folder", at(folder));
  }
  TRY(lock_, files_.lock(at(kJournalFolder)));
  const std::string ignore = at(kJournalFolder) + std::string("/.gitignore");
  return files_.info(ignore) ? Result<void>() : files_.create(ignore, "*\n", kMode);
}

Result<std::vector<Manifest>> Journal::ports() const { return read_ports(root_, files_); }

Result<std::optional<std::string>> Journal::recover() {
  if (!files_.info(at(kJournalFolder))) {
    static_cast<void>(files_.remove_folder(at(kToolFolder)));  // an empty one, from a port that died early
    return std::optional<std::string>();
  }
  TRY_DO(hold());
  TRY(std::vector<Manifest> all, ports());
  std::optional<std::string> report;
  for (Manifest& port : all) {
    const PortState state = port.state;
    if (state == PortState::applied) continue;
    if (state == PortState::none) TRY_DO(remove_port(port));
    TRY_DO(refuse_foreign(port));
    if (state == PortState::apply) TRY_DO(go_forward(port, Foreign::refuse));
    if (state == PortState::undo) TRY_DO(go_back(port, Foreign::refuse));
    if (state != PortState::none)
      report = fmt::format("an interrupted port of {} was {}", counted_files(port.files.size()),
                           state == PortState::apply ? "finished" : "taken back");
  }
  remove_empty();
  return report;
}

Result<void> Journal::write(const std::vector<JournalStep>& steps, std::string_view record_lines,
                            std::string_view note) {
  TRY_DO(hold());
  TRY(const std::vector<Manifest> all, ports());
  Manifest port;
  port.number = all.empty() ? 1 : all.back().number + 1;
  port.folders = missing_folders(steps, root_, files_);
  for (const JournalStep& step : steps) {
    TRY_DO(check_port_path(step.path));
    const auto stamp = [](const auto& text) { return text ? std::optional(stamp_of(*text)) : std::nullopt; };
    port.files.push_back({step.path, stamp(step.before), stamp(step.after), step.mode});
  }
  if (auto prepared = prepare(port, steps, record_lines, note); !prepared) {
    // Nothing in the tree has changed yet. What cannot be thrown away now is thrown away by the next run.
    static_cast<void>(remove_port(port));
    remove_empty();
    prepared.error().hint += (prepared.error().hint.empty() ? "" : "; ") + std::string("nothing was changed");
    return prepared;
  }
  port.state = PortState::apply;
  TRY_DO(go_forward(port, Foreign::leave));
  prune(all);
  return {};
}

Result<void> Journal::prepare(const Manifest& port, const std::vector<JournalStep>& steps,
                              std::string_view record_lines, std::string_view note) const {
  TRY_DO(files_.make_folder(at(port.folder())));
  if (!record_lines.empty()) TRY_DO(files_.create(at(port.folder()) + kRecordLines, record_lines, kMode));
  if (!note.empty()) {
    TRY_DO(files_.create(at(port.folder()) + kNote, note, kMode));
    TRY_DO(files_.sync(at(port.folder()) + kNote));
  }
  TRY_DO(stage(port, steps));
  return save_list(port, PortState::apply);
}

/// Keeps both contents of every file beside each other, so that neither direction needs room on the disk later.
Result<void> Journal::stage(const Manifest& port, const std::vector<JournalStep>& steps) const {
  const bool many = steps.size() > kManyFiles;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const JournalStep& step = steps[k];
    const std::string kept = at(port.kept(k, true));
    if (step.before) TRY_DO(keep_other(port, k, true));
    if (!step.after) continue;
    if (step.before) {
      TRY(const FileInfo like, files_.info(at(step.path)));
      TRY_DO(files_.create_like(kept, *step.after, like));
    } else {
      TRY_DO(files_.create(kept, *step.after, step.mode));
    }
    if (!many) TRY_DO(files_.sync(kept));
  }
  return many ? files_.sync_all(at(kJournalFolder)) : Result<void>();
}

/// The list has its whole text, on the disk, before it gets the name by which it counts.
Result<void> Journal::save_list(const Manifest& port, PortState state) const {
  const std::string draft = at(port.folder()) + "/draft";
  if (files_.info(draft)) TRY_DO(files_.remove(draft));
  TRY_DO(files_.create(draft, write_manifest(port), kMode));
  TRY_DO(files_.sync(draft));
  TRY_DO(files_.rename(draft, join_path(at(port.folder()), to_string(state))));
  TRY_DO(files_.sync(at(port.folder())));
  return files_.sync(at(kJournalFolder));
}

Result<void> Journal::set_state(Manifest& port, PortState state) const {
  const std::string folder = at(port.folder());
  if (port.state == state) return {};
  TRY_DO(files_.rename(join_path(folder, to_string(port.state)), join_path(folder, to_string(state))));
  port.state = state;
  return files_.sync(folder);
}

/// Ends applied; or, if a step cannot be made, taken back with the reason. A file that somebody changed in the middle
/// of a first try was not ours yet and is left alone.
Result<void> Journal::go_forward(Manifest& port, Foreign foreign) const {
  Result<void> done = set_state(port, PortState::apply);
  if (done) done = go(port, true, Foreign::refuse);
  if (done) done = set_state(port, PortState::applied);
  if (done) return done;
  Error error = done.error();
  const Result<void> undone = go_back(port, foreign);
  const std::string ending = undone
                                 ? "nothing was changed"
                                 : "taking the port back failed too: " + to_string(undone.error()) +
                                       "; the next `accelport port` goes on, the originals are in " + at(port.folder());
  error.hint += (error.hint.empty() ? "" : "; ") + ending;
  return tl::unexpected(std::move(error));
}

Result<void> Journal::go_back(Manifest& port, Foreign foreign) const {
  TRY_DO(set_state(port, PortState::undo));
  TRY_DO(go(port, false, foreign));
  TRY_DO(remove_port(port));
  remove_empty();
  return {};
}

/// Ends taken back; or, if a step cannot be made, as it was with the reason.
Result<void> Journal::go_back_or_stay(Manifest& port) const {
  Result<void> done = set_state(port, PortState::undo);
  if (done) done = go(port, false, Foreign::refuse);
  if (done) return remove_port(port);
  Error error = done.error();
  Result<void> redone = set_state(port, PortState::apply);
  if (redone) redone = go(port, true, Foreign::refuse);
  if (redone) redone = set_state(port, PortState::applied);
  const std::string ending = redone ? "nothing was taken back" : "the next `accelport port` goes on with it";
  error.hint += (error.hint.empty() ? "" : "; ") + ending;
  return tl::unexpected(std::move(error));
}

Result<void> Journal::refuse_changed(const Manifest& port) const {
  std::string names;
  for (const Manifest::File& file : port.files) {
    const auto stamp = stamp_at(file.path);
    if (stamp && *stamp == file.after) continue;
    names += (names.empty() ? "" : ", ") + file.path;
  }
  if (names.empty()) return {};
  return fail(Error::Kind::input, "changed since the port: " + names, {},
              "nothing was taken back; the originals are in " + at(port.folder()) + "; --force gives those changes up");
}

/// A record to which others add lines is not taken back as a whole if they have: it leaves the list, and the lines that
/// the port added are taken out of it afterwards.
Result<std::string> Journal::set_record_aside(Manifest& port, const std::string& record) const {
  if (port.files.empty() || port.files.back().path != record) return std::string();
  TRY(const auto now, stamp_at(record));
  if (now == port.files.back().after) return std::string();
  ByteBuffer added;
  const std::string kept = at(port.folder()) + kRecordLines;
  TRY(const FileInfo info, files_.info(kept));
  TRY_DO(files_.read(kept, info.size, added));
  port.files.pop_back();
  return std::string(now ? added.view() : std::string_view());
}

Result<void> Journal::take_lines_out(const std::string& record, std::string_view lines) const {
  TRY(const FileInfo info, files_.info(at(record)));
  ByteBuffer now;
  TRY_DO(files_.read(at(record), info.size, now));
  std::unordered_multiset<std::string_view> ours;
  for (const std::string_view line : lines_of(lines)) ours.insert(line);
  std::string rest;
  for (const std::string_view line : lines_of(now.view())) {
    const auto found = ours.find(line);
    if (found == ours.end()) rest += line;
    if (found != ours.end()) ours.erase(found);
  }
  return rest.empty() ? files_.remove(at(record)) : files_.write(at(record), rest);
}

Result<std::vector<std::string>> Journal::revert(const std::string& record, bool force) {
  TRY(std::vector<Manifest> all, ports());
  if (all.empty() || all.back().state != PortState::applied)
    return fail(Error::Kind::input, "no port was written here that could be taken back", root_);
  Manifest port = all.back();
  std::vector<std::string> paths;
  for (const Manifest::File& file : port.files) paths.push_back(file.path);
  TRY(const std::string lines, set_record_aside(port, record));
  TRY_DO(force ? take_as_ours(port) : refuse_changed(port));
  if (port.files.size() != paths.size()) {
    TRY_DO(save_list(port, PortState::undo));
    TRY_DO(files_.remove(join_path(at(port.folder()), to_string(PortState::applied))));
    port.state = PortState::undo;
  }
  TRY_DO(go_back_or_stay(port));
  if (!lines.empty()) TRY_DO(take_lines_out(record, lines));
  remove_empty();
  return paths;
}

bool Journal::is_ours(const std::string& path, std::string_view bytes) const {
  const auto all = ports();
  if (!all) return false;
  const Stamp stamp = stamp_of(bytes);
  return std::any_of(all->begin(), all->end(), [&](const Manifest& port) {
    return port.state == PortState::applied && std::any_of(port.files.begin(), port.files.end(), [&](const auto& file) {
             return file.path == path && file.after == stamp;
           });
  });
}

}  // namespace accelport
