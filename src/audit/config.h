#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/audit.h"
#include "base/files.h"

namespace accelport {

/// What a repository's `accelport.toml` asks for. Nothing in it names a program, and its paths stay below the root.
struct Config {
  std::vector<std::string> platforms;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::vector<std::string> terms;  // added to the search list
  std::string helper;              // where `port` puts the helper module
  std::string helper_at;           // "path:line" of that
  std::string baseline;            // relative to the root

  struct RuleSetting {
    std::string rule;
    Decision decision = Decision::retain;
    std::string reason;
  };
  std::vector<RuleSetting> rules;  // a person's decision for everything that a rule explains
};

/// Reads `accelport.toml` in `root`, or gives an empty Config if there is none. Errors name path:line and the mend.
Result<Config> load_config(const std::string& root, const Files& files);
Result<Config> parse_config(std::string_view toml, const std::string& place);

}  // namespace accelport
