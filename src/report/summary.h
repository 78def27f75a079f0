#pragma once

#include <array>
#include <cstdint>

#include "audit/audit.h"

namespace accelport {

/// The numbers every format begins with.
struct Summary {
  std::uint64_t occurrences = 0;
  std::array<std::uint64_t, kCategories> by_category{};
  std::array<std::uint64_t, kDecisions> by_decision{};
  std::array<std::uint64_t, kPhases> by_phase{};  // of occurrences that need work
  std::array<std::uint64_t, kEfforts> effort{};   // of occurrences that need work
  std::uint64_t needs_work = 0;
  std::uint64_t changed_by_port = 0;
  std::uint64_t findings = 0;
  std::uint64_t new_findings = 0;  // findings that no baseline knows
  std::uint64_t practice = 0;      // broken practice rules
  std::uint64_t guesses = 0;       // dependencies whose confidence is `guess`
};

/// Of everything that was read.
Summary summarise(const Audit& audit);

/// The same without the installed packages.
Summary summarise_project(const Audit& audit);

}  // namespace accelport
