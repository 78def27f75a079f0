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

}  // namespace accelport
