#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "audit/audit.h"
#include "base/result.h"

namespace accelport {

/// Occurrences that are known already, as a multiset: each entry excuses one occurrence. Matching is by id first, then
/// by (rule, text) without the path, so code that only moved is not new.
class Baseline {
 public:
  /// Reads `accelport.baseline/1` or a whole `accelport.audit/1`; errors name `place`.
  static Result<Baseline> parse(std::string_view json, const std::string& place);
  /// The baseline that `audit` would be.
  static Baseline of(const Audit& audit);

  void add(std::string id, std::string_view rule, std::string_view text);
  /// Marks the occurrences of `audit` that are known, and counts them in `baseline_matched`.
  void mark(Audit& audit) const;
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string id;
    std::uint64_t content = 0;  // hash of rule and text
  };
  std::vector<Entry> entries_;
};

/// The bytes of an `accelport.baseline/1` file for `audit`: everything that needs work or breaks a practice rule.
std::string write_baseline(const Audit& audit);

/// A person's decisions from `.accelport/decisions.jsonl`.
struct PersonDecision {
  std::string id;
  Decision decision = Decision::retain;
  std::string reason;
  bool made_here = true;  // false: the record says it was made on another machine
};
Result<std::vector<PersonDecision>> parse_decisions(std::string_view json_lines, const std::string& place);

}  // namespace accelport
