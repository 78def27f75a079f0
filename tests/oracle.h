#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace accelport {

/// How far the Python reader agrees with a full parse.
struct OracleCount {
  std::uint64_t files = 0;        // compared: with hits, accepted by the grammar
  std::uint64_t out_of_step = 0;  // … where a comment, string or name is taken for another
  std::uint64_t hits = 0;
  std::uint64_t agreeing = 0;            // kind, context, argument index and span are equal
  std::vector<std::string> differences;  // the first ones, for people

  double agreement() const { return hits == 0 ? 1.0 : static_cast<double>(agreeing) / static_cast<double>(hits); }
};

/// Compares one text, whose hits are those of `words` (case ignored).
void compare_with_tree(const std::string& path, const std::string& text, const std::vector<std::string>& words,
                       OracleCount& count);

/// Compares every .py file below `folder`, largest `limit` bytes in all.
OracleCount compare_folder(const std::string& folder, const std::vector<std::string>& words, std::uint64_t limit);

}  // namespace accelport
