#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "catalog/fields.h"
#include "catalog/load.h"
#include "catalog/toml.h"

namespace accelport {
namespace {

constexpr std::size_t kMinText = 3;
constexpr std::size_t kMaxText = 200;
constexpr std::size_t kMaxTerms = 2000;

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && starts_with_ignoring_case(a, b);
}

/// True if the last `size` bytes of `text` are also its first.
bool has_border(std::string_view text, std::size_t size) {
  return equal_ignoring_case(text.substr(0, size), text.substr(text.size() - size));
}

bool overlaps_itself(std::string_view text) {
  for (std::size_t size = 1; size < text.size(); ++size) {
    if (has_border(text, size)) return true;
  }
  return false;
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0) {
  for (std::size_t at = from; at + word.size() <= text.size(); ++at) {
    if (starts_with_ignoring_case(text.substr(at), word)) return at;
  }
  return std::string_view::npos;
}

/// A scanner reports the hits of a word from the left without overlaps, so a hit can hide another one to its right. A
/// term finds all its places through `word` unless the hidden one could belong to it: unless an earlier hit that
/// overlaps the word fits the term's bytes in front of it.
bool can_anchor(std::string_view text, std::string_view word, std::size_t before) {
  for (std::size_t border = 1; border < word.size(); ++border) {
    if (!has_border(word, border)) continue;
    const std::size_t shown = std::min(before, word.size() - border);
    const std::string_view in_term = text.substr(before - shown, shown);
    const std::string_view in_hit = word.substr(word.size() - border - shown, shown);
    if (equal_ignoring_case(in_term, in_hit)) return false;
  }
  return true;
}

/// What is wrong with a word or term as such, or "".
std::string fault_of(const SearchList& list, std::string_view text, bool is_word) {
  if (text.size() < kMinText || text.size() > kMaxText) {
    return fmt::format("a term has {} to {} bytes", kMinText, kMaxText);
  }
  if (text.find('\n') != std::string_view::npos || text.find('\0') != std::string_view::npos) {
    return "a term is one line without NUL";
  }
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (is_word && !std::all_of(text.begin(), text.end(), is_ascii))
    return "a word is ASCII, so that its case can be ignored";
  if (list.terms.size() >= kMaxTerms) return "too many terms";
  return {};
}

bool is_listed(const SearchList& list, std::string_view text) {
  return std::any_of(list.terms.begin(), list.terms.end(),
                     [&](const Term& t) { return equal_ignoring_case(t.text, text); });
}

void add_word(SearchList& list, const std::string& text) {
  list.terms.push_back({text, static_cast<std::uint16_t>(list.words.size()), 0});
  list.words.push_back(text);
}

/// Reads and checks what words and terms have in common; "" if something is wrong.
std::string read_text(Fields& fields, const SearchList& list, bool is_word) {
  const std::string text = fields.required_text("text");
  const bool overlaps = fields.flag("overlaps_itself").value_or(false);
  if (text.empty()) return {};
  if (std::string fault = fault_of(list, text, is_word); !fault.empty()) {
    fields.error("text", fmt::format("'{}': {}", escape_for_display(text), fault));
  } else if (is_listed(list, text)) {
    fields.error("text", fmt::format("'{}' is listed twice", escape_for_display(text)), "case does not matter");
  } else if (overlaps != overlaps_itself(text)) {
    fields.error("text", fmt::format("'{}' {} overlap itself", escape_for_display(text), overlaps ? "cannot" : "can"),
                 overlaps ? "drop overlaps_itself" : "add overlaps_itself = true");
  } else {
    return text;
  }
  return {};
}

void read_word(const TomlValue& table, SearchList& list, FieldErrors& errors) {
  Fields fields(table, "[[word]]", errors);
  const std::string text = read_text(fields, list, true);
  fields.required_text("why");
  fields.finish();
  if (!text.empty()) add_word(list, text);
}

void read_term(const TomlValue& table, SearchList& list, FieldErrors& errors) {
  Fields fields(table, "[[term]]", errors);
  const std::string text = read_text(fields, list, false);
  const std::string word = fields.required_text("word");
  fields.finish();
  if (text.empty() || word.empty()) return;
  const auto at = std::find(list.words.begin(), list.words.end(), word);
  if (at == list.words.end()) {
    const std::vector<std::string_view> names(list.words.begin(), list.words.end());
    return fields.error("word", fmt::format("'{}' is not a [[word]]", escape_for_display(word)),
                        suggestion(word, names));
  }
  const std::size_t before = find_word(text, word);
  if (before == std::string_view::npos || find_word(text, word, before + 1) != std::string_view::npos) {
    return fields.error("text",
                        fmt::format("'{}' must hold the word '{}' exactly once", escape_for_display(text), word));
  }
  if (!can_anchor(text, word, before)) {
    return fields.error("text", fmt::format("hits of '{}' can hide '{}'", word, escape_for_display(text)),
                        "make it a [[word]]");
  }
  list.terms.push_back({text, static_cast<std::uint16_t>(at - list.words.begin()), static_cast<std::uint16_t>(before)});
}

}  // namespace

Result<SearchList> load_terms(const DataFile& file) {
  TRY(const TomlValue table, parse_toml(file.bytes, file.path));
  FieldErrors errors{file.path, {}};
  SearchList list;
  Fields fields(table, "the search list", errors);
  const std::string schema = fields.required_text("schema");
  if (!schema.empty() && schema != "accelport.terms/1") fields.error("schema", "unknown 'schema'", "accelport.terms/1");
  for (const TomlValue* word : fields.tables("word")) read_word(*word, list, errors);
  for (const TomlValue* term : fields.tables("term")) read_term(*term, list, errors);
  if (list.words.empty()) fields.absence("the search list has no [[word]]");
  fields.finish();
  if (errors.first) return tl::unexpected(std::move(*errors.first));
  return list;
}

Result<void> add_term(SearchList& list, const std::string& text, const std::string& place) {
  if (is_listed(list, text)) return {};
  for (std::size_t i = 0; i < list.words.size(); ++i) {
    const std::size_t before = find_word(text, list.words[i]);
    if (before == std::string_view::npos || !can_anchor(text, list.words[i], before)) continue;
    if (std::string fault = fault_of(list, text, false); !fault.empty())
      return fail(Error::Kind::data, std::move(fault), place);
    list.terms.push_back({text, static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(before)});
    return {};
  }
  if (const std::string fault = fault_of(list, text, true); !fault.empty()) {
    return fail(Error::Kind::data, fmt::format("extra term '{}': {}", escape_for_display(text), fault), place);
  }
  add_word(list, text);
  return {};
}

}  // namespace accelport
