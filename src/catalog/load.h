#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"

namespace accelport {

/// The parts of `load_catalog`, one file each; apart so that a test can show every broken file and not only the first.

/// Reads `rules/GROUP/ID.toml`. Checks the form of the rule and of its examples; `verify_rule_cases` runs them.
Result<Rule> load_rule(const DataFile& file);

/// Words and terms of the search list. The words of `words` come first in `terms`, each as a term of itself.
struct SearchList {
  std::vector<std::string> words;
  std::vector<Term> terms;
};
Result<SearchList> load_terms(const DataFile& file);

/// Adds a term of the user's own; one that is there already is no error. `place` is what errors name.
Result<void> add_term(SearchList& list, const std::string& text, const std::string& place);

/// Reads one platform from those of `files` that lie in `platforms/NAME/`.
Result<Platform> load_platform(std::string_view name, const std::vector<DataFile>& files);

}  // namespace accelport
