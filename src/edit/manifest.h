#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace accelport {

inline constexpr const char* kToolFolder = ".accelport";
inline constexpr const char* kJournalFolder = ".accelport/journal";

/// What tells one content of a file from another.
struct Stamp {
  std::uint64_t size = 0;
  std::uint64_t hash = 0;
  friend bool operator==(const Stamp&, const Stamp&) = default;
};
Stamp stamp_of(std::string_view bytes);

enum class PortState { none, apply, applied, undo };

/// The name of the list's file in each state; empty for `none`.
std::string_view to_string(PortState state);

/// One port in the journal.
struct Manifest {
  struct File {
    std::string path;  // relative to the root
    std::optional<Stamp> before;
    std::optional<Stamp> after;
    std::uint32_t mode = 0644;  // of a created file
  };

  std::uint32_t number = 0;
  PortState state = PortState::none;
  std::vector<std::string> folders;  // that the port made, outer ones first
  std::vector<File> files;

  /// ".accelport/journal/0001"
  std::string folder() const;
  /// Where the content of file `k` that is not in the tree is kept.
  std::string kept(std::size_t k, bool after) const;
};

/// The list as text, and back. A list may come with an untrusted tree: paths that leave the root, or lie in git's or
/// the journal's own folder, are errors.
std::string write_manifest(const Manifest& port);
Result<Manifest> parse_manifest(std::string_view text, const std::string& place);

/// An error if the path is not one below the root that a port may touch.
Result<void> check_port_path(std::string_view path);

/// The ports below `root`, oldest first; an unreadable list is an error. Folders that are links do not count.
Result<std::vector<Manifest>> read_ports(const std::string& root, const Files& files);

}  // namespace accelport
