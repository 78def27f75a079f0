#pragma once

#include <string>
#include <string_view>

#include "audit/audit.h"
#include "edit/change.h"

namespace accelport {

inline constexpr const char* kDecisionsFile = ".accelport/decisions.jsonl";

/// One line for every occurrence that the port settles or leaves: what was decided, by whom and why, and the revision
/// from which it started. An occurrence that a person decided in the file itself has its line already.
std::string decision_lines(const Audit& audit, const Plan& plan, std::string_view base_revision);

/// The file with these lines: an older line about the same occurrence goes, unless a person wrote it.
std::string merge_decisions(std::string_view file, std::string_view lines);

/// The style, if it is not the usual one, in which an earlier port has settled something.
std::string style_of(std::string_view file);

/// A person's decision about an occurrence, as a line of the file that later runs obey.
std::string person_line(const AuditedFile& file, const Occurrence& occurrence, Decision decision,
                        std::string_view reason);

/// The file with these lines of a person; every older line about the same occurrences goes.
std::string add_person_lines(std::string_view file, std::string_view lines);

}  // namespace accelport
