#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/process.h"
#include "edit/commit_steps.h"

namespace accelport {

/// The commits of a port as the journal remembers them.
struct CommitNote {
  std::string base;  // the commit in front of them
  std::string tip;   // the last of them
  std::size_t count = 0;

  /// "1234567..89abcde"
  std::string range() const;
};
std::string write_note(const CommitNote& note);
/// Nothing for a text that is no note; it may come with an untrusted tree.
std::optional<CommitNote> parse_note(std::string_view text);

/// Makes commits beside the work tree and the user's index: first only objects that nothing refers to, then the branch
/// moves to the last of them in one step, then the index learns our files and keeps everything else. No hook, filter,
/// signature program or editor is started; filters only of a repository that is trusted.
class CommitSeries {
 public:
  CommitSeries(std::string root, const EditableFiles& files, const Processes& processes)
      : root_(std::move(root)), files_(files), processes_(processes) {}

  /// An error, with what to do about it, if commits cannot be made here and now.
  Result<void> prepare(const Plan& plan, bool trust_filters);
  /// False if git ignores the path and does not track it.
  bool takes(const std::string& path) const;
  Result<CommitNote> make(const std::vector<CommitStep>& steps);
  /// Moves the branch, if it still is where `make` found it.
  Result<void> publish(const CommitNote& note) const;
  /// Gives our files the index entries of the last commit, those that the user has not staged otherwise.
  Result<void> complete_index(const CommitNote& note);

 private:
  struct Entry {
    std::string mode;
    std::string object;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  using Entries = std::map<std::string, Entry>;  // by path from the root

  Result<std::string> ask(std::vector<std::string> arguments, std::string input = {}) const;
  Result<void> locate();
  Result<void> check_branch();
  Result<void> refuse_unfinished() const;
  Result<void> refuse_filters(const std::vector<std::string>& paths) const;
  Result<void> check_identity() const;
  Result<void> check_files(const Plan& plan);
  Result<Entries> entries(std::vector<std::string> arguments) const;
  Result<std::string> store(const std::string& path, std::string_view bytes) const;
  Result<std::string> commit(const CommitStep& step, const std::string& parent, Entries& now) const;
  ProcessRequest request(std::vector<std::string> arguments) const;
  ProcessRequest apart(ProcessRequest request) const;
  std::string index_apart() const { return git_folder_ + "/accelport-index"; }
  void remove_index_apart() const;

  std::string root_;
  const EditableFiles& files_;
  const Processes& processes_;
  bool filters_ = false;
  std::string top_;         // of the work tree
  std::string prefix_;      // of the root in it: "" or "sub/"
  std::string git_folder_;  // of this work tree
  std::string base_;
  Entries tree_;                          // of the base
  std::set<std::string> unix_line_ends_;  // files whose commits have other line ends than the disk
};

/// Whether the commit is the last one or in front of it.
bool is_in_history(const std::string& root, const std::string& commit, const Processes& processes);

/// What HEAD is; empty if there is no commit.
std::string head_of(const std::string& root, const Processes& processes);

}  // namespace accelport
