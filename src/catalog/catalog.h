#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "catalog/file_text.h"
#include "catalog/platform.h"
#include "catalog/rule.h"
#include "catalog/rule_index.h"
#include "syntax/scan.h"

namespace accelport {

/// One entry of the search list. A term is a base word with text around it; a base word alone is a term too.
struct Term {
  std::string text;      // as the user would grep for it
  std::uint16_t word;    // index of the base word that anchors it
  std::uint16_t before;  // bytes of `text` in front of the base word
};

/// All knowledge, loaded once and immutable.
struct Catalog {
  std::vector<std::string> words;  // base words, then (from `first_trigger`) the rules' triggers
  std::size_t first_trigger = 0;
  std::vector<Term> terms;  // words first, then terms, in the order of the file; then the user's own
  std::vector<std::vector<std::uint16_t>> terms_by_word;  // by base word: indices into `terms`
  std::vector<Rule> rules;                                // in the order in which they are asked
  std::size_t first_catch_all = 0;                        // index of the first rule of order kCatchAllOrder or more
  std::vector<Platform> platforms;                        // by name
  std::unique_ptr<const LiteralScanner> scanner;          // for `words`
  RuleIndex rule_index;

  const Rule* find_rule(std::string_view id) const;
  const Platform* find_platform(std::string_view name) const;
};

/// Rules of this order and above take what nothing else explains, so they are asked only about sites with a hit.
inline constexpr int kCatchAllOrder = 9000;

/// A file of the knowledge, with the path that errors name.
struct DataFile {
  std::string path;  // relative to data/, "rules/torch/set-device.toml"
  std::string_view bytes;
};

/// The file of the knowledge at `path`, or null.
const DataFile* find_data_file(const std::vector<DataFile>& data, std::string_view path);

/// Loads everything from `files`. `extra_terms` come from the user's accelport.toml. Errors name file:line and the
/// mend.
Result<Catalog> load_catalog(const std::vector<DataFile>& files, const std::vector<std::string>& extra_terms = {});

/// The knowledge that is built into the program.
std::vector<DataFile> embedded_data();

/// The rule that explains `site`, and which of its outcomes; null if none does. `path` and `roles` are the file's.
struct Verdict {
  const Rule* rule = nullptr;
  const Outcome* outcome = nullptr;
  const Outcome* alone = nullptr;  // of a branch (Outcome::branch): what would hold if there were no other branches
};
/// `has_hit` tells whether a hit of a term lies in the site and in no narrower one.
Verdict explain_site(const Catalog& catalog, const Site& site, const FileText& text, std::string_view path,
                     FileRole roles, bool has_hit = true);

/// What the platforms know about one name, for people who ask.
struct ApiMatch {
  const Platform* platform = nullptr;
  const ApiRow* row = nullptr;
};
/// The rows for a name as a person types it: the API itself and its calls with particular arguments; if there are none,
/// the rows whose last components it is ("is_available"); if there are none, the members of that module.
std::vector<ApiMatch> find_api_rows(const Catalog& catalog, std::string_view name);

struct CounterpartMatch {
  const Platform* platform = nullptr;
  const Counterpart* counterpart = nullptr;
};
/// The counterparts of an NVIDIA name: "CUDA_HOME", "env:CUDA_HOME", "nvidia-smi" …
std::vector<CounterpartMatch> find_counterparts(const Catalog& catalog, std::string_view name);

/// Runs the examples of a rule through the readers and all rules, and looks for its triggers in them. Each failure
/// names the example's place and what was found instead; empty if the rule keeps its promises.
std::vector<Error> verify_rule_cases(const Catalog& catalog, const Rule& rule);

/// Finds every term in `text` and calls `found(term, offset, size)` for each occurrence, in the order of their words:
/// exactly what `LC_ALL=C grep -o -a -i -F TERM` prints. `hits` are the scanner's for `text`.
template <typename Found>
void for_each_term(const Catalog& catalog, std::string_view text, const std::vector<Hit>& hits, Found found) {
  std::vector<std::uint32_t> ends(catalog.terms.size(), 0);
  for (const Hit& hit : hits) {
    if (hit.word >= catalog.terms_by_word.size()) continue;
    for (const std::uint16_t index : catalog.terms_by_word[hit.word]) {
      const Term& term = catalog.terms[index];
      if (hit.offset < ends[index] + term.before) continue;
      const std::uint32_t begin = hit.offset - term.before;
      if (!starts_with_ignoring_case(text.substr(begin), term.text)) continue;
      const auto size = static_cast<std::uint32_t>(term.text.size());
      ends[index] = begin + size;
      found(static_cast<std::size_t>(index), begin, size);
    }
  }
}

}  // namespace accelport
