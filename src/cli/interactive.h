#pragma once

#include <set>
#include <string>

#include "audit/audit.h"
#include "edit/change.h"
#include "report/report.h"

namespace accelport {

/// What a person wants of a plan.
struct Answers {
  std::set<std::string> wanted;  // ids of the occurrences whose edits are to be made
  std::string person_lines;      // decisions about others, for the decisions file
  bool left = false;             // edits that may be asked about again
};

/// Shows each group of edits at the terminal and asks about it; decisions otherwise are taken into the audit. Changes
/// nothing else. An error if the input ends in front of the last answer.
Result<Answers> ask_about(const Plan& plan, Audit& audit, const TextStyle& style);

/// An error unless a person can be asked.
Result<void> check_terminal();

}  // namespace accelport
