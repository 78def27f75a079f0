#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace accelport {

/// What one process of a simulated run said about itself.
struct ProcessReport {
  std::string rank;                              // of a distributed run, or empty
  bool ended = false;                            // false: it was killed, and its figures are missing
  bool used = false;                             // it worked on a card
  std::string refusal;                           // why the card could not be set up, or empty
  std::map<std::string, std::uint64_t> missing;  // operators that the platform lacks, with their calls
  std::vector<std::string> faults;               // one text for each planned fault, with what became of it
  std::vector<std::uint64_t> peaks;              // bytes, for each card
  std::vector<std::string> quirks;
  std::uint64_t stale_reads = 0;  // of bytes that a stream had still to write
  std::string first_stale_read;   // the operator
};

/// From JSON. What is not as it should be is left out: a process may have been killed while it wrote.
ProcessReport parse_process_report(std::string_view text);

/// All reports in the folder, in the order of their names.
Result<std::vector<ProcessReport>> read_process_reports(const std::string& folder, const Files& files);

/// True if a process could not be given its cards.
bool was_refused(const std::vector<ProcessReport>& processes);

/// What a person is told at the end of a simulated run, line by line.
struct RunSummary {
  std::string title;       // of the platform
  std::string strictness;  // "strict", "warn", "allow"
  std::vector<ProcessReport> processes;
};
std::vector<std::string> summary_lines(const RunSummary& summary);

/// "1.50 GiB"
std::string readable_size(std::uint64_t bytes);

}  // namespace accelport
