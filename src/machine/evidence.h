#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace accelport {

/// Where evidence lies, below the root of a repository: files of JSON Lines, schema accelport.evidence/1.
inline constexpr std::string_view kEvidenceFolder = ".accelport/evidence";

enum class RungVerdict { pass, fail, skip, unknown };

/// What the result of one attempt depends on, by name ("tree", "machine", "driver", "torch", "plug_in", "tool",
/// "device_count"); docs/schemas/evidence.schema.json lists the names. One that could not be found out is absent.
using EvidenceState = std::map<std::string, std::string>;

/// What one attempt at a rung or gate showed.
struct Evidence {
  std::string id;       // of the rung or gate
  std::string attempt;  // the same in the line written before and the one written after; may be empty
  RungVerdict verdict = RungVerdict::unknown;
  bool simulated = true;
  bool ended = false;  // false: nothing was written after the attempt, so it was killed or is still running
  std::string on;      // where it ran, as `--on` says it; may be empty
  std::string fidelity;
  std::string begin;  // UTC, "2026-01-31T23:59:59Z"
  std::string end;
  std::vector<std::string> command;
  std::map<std::string, std::string> values;  // texts as they are, everything else as JSON
  EvidenceState state;
  std::string place;  // "file:line" of its last line
};

/// A line that is no evidence: "file:line", or a file that could not be read, and why.
struct DamagedEvidence {
  std::string place;
  std::string reason;
};

struct EvidenceSet {
  std::vector<Evidence> attempts;  // one for each attempt, in the order in which they began
  std::vector<DamagedEvidence> damaged;
};

/// Adds the lines of one file to the set. The later line of an attempt replaces the earlier one, but never one that
/// ended by one that did not. A line that is damaged is listed and takes nothing else with it.
void add_evidence(std::string_view text, const std::string& path, EvidenceSet& set);

/// Everything in the evidence folder of a repository, file by file in the order of their names; nothing is followed or
/// run. No folder: an empty set.
Result<EvidenceSet> read_evidence(const std::string& root, const Files& files);

/// The line that ends the last attempt at `id` in the text which has not ended, for a process that can no longer write
/// it: failed, for this reason. Empty if there is none.
std::string closing_line(std::string_view text, std::string_view id, std::string_view reason, std::string_view end);

/// What evidence is worth here and now.
struct Standing {
  bool simulated = false;
  bool imported = false;              // made on another machine, or it does not say on which
  std::vector<std::string> outdated;  // names of the state that differ now, or that either side does not know

  bool is_stale() const { return !outdated.empty(); }
  /// True for what may speak for a card: made on it, on this machine, with everything as it is now.
  bool counts_for_card() const { return !simulated && !imported && !is_stale(); }
};
Standing standing_of(const Evidence& evidence, const EvidenceState& now);

/// "simulated, imported, stale (torch, tree)"; empty if it counts.
std::string to_string(const Standing& standing);

std::string_view to_string(RungVerdict verdict);

}  // namespace accelport
