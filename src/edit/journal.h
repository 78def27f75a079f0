#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "edit/manifest.h"

namespace accelport {

/// What a port does to one file; nothing stands for a file that is not there.
struct JournalStep {
  std::string path;  // relative to the root
  std::optional<std::string_view> before;
  std::optional<std::string_view> after;
  std::uint32_t mode = 0644;  // of a created file
};

/// Makes the changes of a port happen all or not at all, and takes them back.
///
/// A port is a folder `.accelport/journal/NUMBER` with both contents of every file and a list whose name is the port's
/// state: without a list nothing has happened yet and the folder is thrown away; "apply" is finished, "undo" is taken
/// back, by `recover`; "applied" is what `revert` takes back. Each file goes from one content to the other by a rename,
/// so every moment in which the program can die leaves one of these states. The folder hides itself from git.
class Journal {
 public:
  Journal(std::string root, const EditableFiles& files) : root_(std::move(root)), files_(files) {}

  /// Finishes or takes back what an interrupted port left; gives a sentence about it, or nothing if there was nothing.
  /// Nobody else can write through a journal of this tree from here until this one is destroyed.
  Result<std::optional<std::string>> recover();

  /// Makes all the steps, or none and says why. `record_lines` are the lines that the last step adds to a record to
  /// which others add lines too. `note` is kept with the port. Needs `recover` before. The journal keeps the last
  /// kKeptPorts ports; older ones cannot be taken back any more.
  Result<void> write(const std::vector<JournalStep>& steps, std::string_view record_lines = {},
                     std::string_view note = {});
  static constexpr std::size_t kKeptPorts = 20;

  /// Takes back the last port and gives the paths of its files. One that has changed since is an error that names it,
  /// unless `force`, which gives up what was changed; of `record` only the port's lines are taken out then. Needs
  /// `recover` before.
  Result<std::vector<std::string>> revert(const std::string& record = {}, bool force = false);

  /// Nobody else can write through a journal of this tree from here on, until this one is destroyed.
  Result<void> reserve() { return hold(); }
  /// Leaves no trace of a journal in which no port is.
  void release() const { remove_empty(); }

  /// Forgets every port: nothing can be taken back any more.
  Result<void> discard();

  /// What was noted with the last port, if that is applied.
  struct Note {
    std::string text;
    bool settled = false;
  };
  std::optional<Note> note() const;
  /// From now on the note is settled.
  Result<void> settle_note() const;
  Result<void> drop_note() const;

  /// True if the file lies there as one of the ports that `revert` knows has left it.
  bool is_ours(const std::string& path, std::string_view bytes) const;

  /// A sentence about an interrupted port, for those who only look; nothing if there is none.
  static std::optional<std::string> interrupted(const std::string& root, const Files& files);

 private:
  std::string at(std::string_view path) const { return join_path(root_, path); }
  Result<void> hold();
  Result<std::vector<Manifest>> ports() const;
  Result<void> prepare(const Manifest& port, const std::vector<JournalStep>& steps, std::string_view record_lines,
                       std::string_view note) const;
  Result<void> stage(const Manifest& port, const std::vector<JournalStep>& steps) const;
  Result<void> save_list(const Manifest& port, PortState state) const;
  Result<void> set_state(Manifest& port, PortState state) const;

  enum class Foreign { refuse, leave };  // what to do with a file that has neither content

  Result<void> go(const Manifest& port, bool forward, Foreign foreign) const;
  Result<void> go_forward(Manifest& port, Foreign foreign) const;
  Result<void> go_back(Manifest& port, Foreign foreign) const;
  Result<void> go_back_or_stay(Manifest& port) const;
  Result<void> settle(const Manifest& port, std::size_t k, bool forward, Foreign foreign) const;
  Result<void> foreign_file(const Manifest& port, const Manifest::File& file) const;
  Result<void> refuse_foreign(const Manifest& port) const;
  Result<void> keep_other(const Manifest& port, std::size_t k, bool forward) const;
  Result<void> place(const Manifest& port, std::size_t k, bool forward) const;
  Result<void> place_copy(const Manifest& port, std::size_t k, const std::string& from) const;
  Result<void> make_folders(const Manifest& port) const;
  Result<void> sync_tree(const Manifest& port) const;
  Result<void> remove_port(const Manifest& port) const;
  void remove_empty() const;

  Result<std::optional<Stamp>> stamp_at(const std::string& path) const;
  Result<void> check_parents(const std::string& path) const;
  Result<void> refuse_changed(const Manifest& port) const;
  Result<void> take_as_ours(Manifest& port) const;
  Result<void> forget(Manifest port) const;
  void prune(const std::vector<Manifest>& older) const;
  Result<std::string> set_record_aside(Manifest& port, const std::string& record) const;
  Result<void> take_lines_out(const std::string& record, std::string_view lines) const;

  static constexpr const char* kNote = "/note";
  static constexpr const char* kSettledNote = "/note-settled";
  static constexpr std::uint32_t kMode = 0644;  // of the journal's own files

  std::string root_;
  const EditableFiles& files_;
  std::unique_ptr<FileLock> lock_;
};

}  // namespace accelport
