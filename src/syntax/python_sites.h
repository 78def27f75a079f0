#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "syntax/python_flows.h"
#include "syntax/python_guards.h"
#include "syntax/reader.h"

namespace accelport {

/// Something in the text that becomes a site.
struct PyTarget {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t token = kNoToken;  // of a chain or string: its first; of a docstring: the literal; else a token near by
  SiteKind kind = SiteKind::chain;
  bool split = false;  // of a string: a word of the search list stands only in the whole concatenation
};

/// Fills sites from what the other parts know. Flows are known only after all strings were seen: `finish` adds them.
class PySites {
 public:
  PySites(PyAnnotator& annotator, const PyBlocks& blocks, PyNames& names, PyGuards& guards, PyFlows& flows);

  void make(const PyTarget& target, std::vector<Site>& sites);
  void finish(std::vector<Site>& sites);

  /// The value of the plain or f-string literal at `token`; holes are "{}".
  std::string literal_value(std::uint32_t token) const;

 private:
  void make_chain(std::uint32_t first, Site& site);
  void make_import(const PyNames::Import& import, Site& site);
  void make_string(std::uint32_t token, bool split, Site& site);
  void append_rest(std::uint32_t token, std::string& value) const;
  void name_chain(std::uint32_t first, std::uint32_t last, Site& site);
  void fill_place(const PyPlace& place, Site& site);
  void fill_carrier(PyPlace place, Site& site);
  void fill_scope(std::uint32_t token, Context context, Site& site) const;
  void guard(std::uint32_t token, Site& site);
  void fill_call(std::uint32_t opener, Site& site);
  std::string argument_value(std::uint32_t token, std::uint32_t end);
  std::string target_text(std::uint32_t token) const;
  std::string chain_text(std::uint32_t token) const;
  std::string key_text(std::uint32_t token) const;

  PyAnnotator& annotator_;
  const PyLexed& lexed_;
  const PyBlocks& blocks_;
  PyNames& names_;
  PyGuards& guards_;
  PyFlows& flows_;
  std::vector<std::pair<std::size_t, std::uint32_t>> strings_;  // site and its number in flows_
};

}  // namespace accelport
