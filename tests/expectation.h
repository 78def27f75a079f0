#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "audit/audit.h"

namespace accelport::test {

/// One statement of an `expect.toml` about a fragment of a file.
struct Expectation {
  enum class Kind {
    occurrence,  // there is an occurrence with one of these categories and decisions
    stay,        // what is there stays as it is: no occurrence, or one that is retained or ignored
    nothing,     // no dependency: no occurrence, or one of category none
    file,        // the file's charset
    skipped,     // the file is not read, for this reason
  };

  Kind kind = Kind::occurrence;
  std::string path;
  std::uint32_t line = 0;
  std::string text;                   // the fragment; empty: any occurrence of the line will do
  int nth = 1;                        // which one, if the line has several
  std::vector<std::string> category;  // any of these; empty: any at all
  std::vector<std::string> decision;
  std::string action;
  std::string together;  // occurrences of one such name must have the same decision
  std::string charset;
  std::string reason;
};

/// The statements of `expect.toml`; aborts the test with a message if it is malformed.
std::vector<Expectation> read_expectations(const std::string& path);

/// What is not as expected, one message each, with what the audit says about that line. `root` is the audited folder.
std::vector<std::string> check_expectations(const std::vector<Expectation>& expectations, const Audit& audit,
                                            const std::string& root);

}  // namespace accelport::test
