#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"

namespace accelport {

/// A regular expression in RE2's syntax (linear time on any input), compiled once and shared by all threads.
class Pattern {
 public:
  /// Case-sensitive unless it says "(?i)"; "." stops at a newline. The error's message is what RE2 dislikes.
  static Result<Pattern> compile(std::string_view expression);

  /// True if the expression matches somewhere in `text`.
  bool found_in(std::string_view text) const;
  const std::string& expression() const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// A regular expression whose named groups, `(?P<name>…)`, are what is wanted of a text.
class CapturePattern {
 public:
  static Result<CapturePattern> compile(std::string_view expression);

  /// The groups' names, in the order of the groups.
  const std::vector<std::string>& names() const;
  /// Every match, one behind the other, at most `limit`: the texts of the named groups (empty where one took no part).
  std::vector<std::vector<std::string_view>> matches(std::string_view text, std::size_t limit) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// A set of names, some of them globs. In a condition an empty set means "anything".
class NameSet {
 public:
  void add(std::string name);
  bool empty() const { return names_.empty(); }
  /// True if one of the names is `name` or one of the globs matches it.
  bool contains(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::unordered_set<std::string, Hash, std::equal_to<>> exact_;
  std::vector<std::string> globs_;
  std::vector<std::string> names_;
};

}  // namespace accelport
