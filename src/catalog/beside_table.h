#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"

namespace accelport {

/// data/port/beside.toml: the texts of files that are written beside those that `port` never edits.
struct BesideTable {
  std::string requirements_head;
  std::string environment_head;
  std::vector<std::string> torch_packages;  // torch's names in an environment
  std::string torch_reason;                 // why they are left out there
  std::string dockerfile_head;
  std::string image;   // stands where a person must name an image
  std::string runner;  // … a runner
};

/// What the placeholders of a text stand for; an empty value takes the lines that ask for it out.
struct BesideWord {
  std::string_view name;  // "package" for @package@
  std::string value;
};

/// Reads the table; errors name file:line.
Result<BesideTable> load_beside_table(const DataFile& file);

/// The table that is built into the program.
Result<BesideTable> embedded_beside_table();

/// `text` with its placeholders filled.
std::string fill_beside(std::string_view text, const std::vector<BesideWord>& words);

/// The first line of a file written beside `source`, with the mark by which readers know such a file (kBesideMark).
std::string beside_title(const Platform& platform, std::string_view source);

}  // namespace accelport
