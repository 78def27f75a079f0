#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace accelport {

/// Where the instruction that starts at `begin` ends, with the end of its last line: lines that end in a backslash go
/// on, so do comment lines between them, and here-documents belong to it. `open` is set if one of these has no end.
std::uint32_t end_of_docker_instruction(std::string_view text, std::uint32_t begin, bool& open);

/// An instruction, a comment line or a blank line.
struct DockerPart {
  Span span;         // whole lines
  std::string name;  // lower-case: "from"; empty for comments and blank lines
};

/// A Dockerfile in parts, which join to the whole.
std::vector<DockerPart> docker_parts(std::string_view text);

}  // namespace accelport
