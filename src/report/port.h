#pragma once

#include <cstdint>
#include <string>

#include "edit/change.h"
#include "report/report.h"

namespace accelport {

/// A port as it is shown.
struct PortReport {
  const Audit& audit;
  const Plan& plan;
  std::uint64_t unsupported = 0;  // occurrences that no port settles
  bool written = false;
};

/// The difference with colours and every character visible, what is left and why, and a line of numbers. `quiet` gives
/// that line only.
void write_port_text(const PortReport& report, const TextStyle& style, const Sink& sink);

/// One file of it: name and hunks, then an empty line.
void write_change_text(const FileChange& change, bool colour, const Sink& sink);

/// `accelport.port/1`
void write_port_json(const PortReport& report, const Sink& sink);

/// A patch for `git apply`. On a terminal nothing of it may act on the terminal, so hidden characters are escaped.
void write_port_patch(const PortReport& report, bool to_terminal, const Sink& sink);

/// Occurrences that the plan settles.
std::uint64_t settled_by(const Plan& plan);

}  // namespace accelport
