#pragma once

#include <chrono>
#include <cstdint>

#include "audit/audit.h"
#include "audit/config.h"

namespace accelport {

/// One line that is written over itself, at most ten times a second, and gone at the end.
class ProgressLine {
 public:
  explicit ProgressLine(bool on) : on_(on) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();
  void operator()(std::uint64_t done, std::uint64_t total);

 private:
  bool on_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// A repository's settings for single rules: unknown rules are errors; then they decide, where no person has.
Result<void> check_rule_settings(const Config& config, const Catalog& catalog);
void apply_rule_settings(const Config& config, Audit& audit);

}  // namespace accelport
