#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "edit/change.h"

namespace accelport {

/// Lines of a file that are replaced together. Each line keeps its end; lines count from 0.
struct DiffBlock {
  std::uint32_t old_line = 0;
  std::uint32_t new_line = 0;
  std::vector<std::string_view> removed;
  std::vector<std::string_view> added;
};

/// A block, or several that lie close, with the lines around them.
struct DiffHunk {
  struct Line {
    char mark = ' ';  // ' ', '-' or '+'
    std::string_view text;
  };
  std::uint32_t old_line = 0;  // counted as in a hunk's header: from 1, or the line before if there are none
  std::uint32_t old_count = 0;
  std::uint32_t new_line = 0;
  std::uint32_t new_count = 0;
  std::vector<Line> lines;

  /// "@@ -1,3 +1,4 @@"
  std::string header() const;
};

/// What a change does to the lines of its file, read off its edits: time and memory grow with the file and the edits.
/// The texts point into the change.
std::vector<DiffBlock> diff_blocks(const FileChange& change);
std::vector<DiffHunk> diff_hunks(const FileChange& change, std::uint32_t context = 3);

/// A path as git writes it in a patch: in quotes with escapes if a byte of it is unusual.
std::string quoted_path(std::string_view prefix, std::string_view path);

/// The change as a patch for `git apply`; bytes of the file stand in it as they are.
std::string unified_diff(const FileChange& change, std::uint32_t context = 3);
std::string unified_diff(const Plan& plan);

}  // namespace accelport
