#pragma once

#include <string_view>
#include <vector>

#include "syntax/reader.h"

namespace accelport {

/// What holds inside `#if CONDITION`: cuda_only_source for CUDA's own macros, other_platform for those of others,
/// nvidia for tests of CUDA's version or architecture, preprocessor for any feature macro. Macros of compilers and
/// hosts give nothing.
Guard guard_of_directive(std::string_view directive, std::string_view condition, const ReaderFacts* facts);

/// What an expression of host code asks: `x.is_cuda()`, `prop.major >= 8`, `at::hasHIP()`.
Guard guard_of_expression(std::string_view condition, const ReaderFacts* facts);

/// The stack of `#if … #endif` around a place.
class CxxConditions {
 public:
  explicit CxxConditions(const ReaderFacts* facts) : facts_(facts) {}

  /// `directive` is "if", "ifdef", "ifndef", "elif", "else", "endif"; others are ignored.
  void take(std::string_view directive, std::string_view condition);
  /// The guards of all open conditions.
  Guard guards() const { return open_.empty() ? Guard::none : open_.back().outer | open_.back().branch; }

 private:
  struct Level {
    Guard outer;
    Guard branch;  // of the branch that is being read
    Guard seen;    // of all branches so far
  };

  const ReaderFacts* facts_;
  std::vector<Level> open_;
  std::size_t too_deep_ = 0;
};

}  // namespace accelport
