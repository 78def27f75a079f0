#pragma once

#include <string>
#include <vector>

#include "edit/python_source.h"
#include "edit/text_port.h"

namespace accelport {

/// Why the question `guard` ("is there a card?") must stay as it is: all that depends on its answer is a tool of
/// NVIDIA's own, which raises elsewhere. Empty if it may change. `tools` are the places of such tools.
std::string guard_problem(const PythonSource& source, const TextOccurrence& guard,
                          const std::vector<TextOccurrence>& occurrences, const std::vector<Span>& tools);

/// A condition of CUDA's own that no edit replaces.
struct Staying {
  std::uint32_t token = 0;
  std::uint32_t logical = 0;  // the logical line that holds it
  std::uint32_t line = 0;
  std::string_view reason;
};

/// Why `asked`, an operand of an `and`, must stay as it is: another operand asks for CUDA and stays, so the whole would
/// be half of one thing and half of the other, or the operand raises where another card is. Empty if it may change.
/// `staying` is by position.
std::string and_problem(const PythonSource& source, const TextOccurrence& asked, const std::vector<Staying>& staying);

}  // namespace accelport
