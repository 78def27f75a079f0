#include "edit/parse_check.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "syntax/tree.h"

namespace accelport {
namespace {

constexpr std::uint32_t kNoLine = ~0u;

class Statements {
 public:
  Statements(std::string_view text, const PyLexed& lexed);

  std::uint32_t line_at(std::uint32_t offset) const;
  /// The bytes of the function or statement that is parsed for the sake of a line.
  Span around(std::uint32_t line) const;

 private:
  const PyLine& line(std::uint32_t i) const { return lexed_.lines[i]; }
  PyWord word(std::uint32_t i, std::uint32_t k = 0) const { return lexed_.tokens[line(i).first + k].word(); }
  bool is_decorator(std::uint32_t i) const { return lexed_.is_op(line(i).first, '@'); }
  bool is_function(std::uint32_t i) const;
  bool is_clause(std::uint32_t i) const;
  std::uint32_t begin_of(std::uint32_t i) const;

  std::string_view text_;
  const PyLexed& lexed_;
  std::vector<std::uint32_t> parent_;  // by line: the header that it stands under
};

Statements::Statements(std::string_view text, const PyLexed& lexed) : text_(text), lexed_(lexed) {
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < lexed.lines.size(); ++i) {
    while (!open.empty() && line(open.back()).indent >= line(i).indent) open.pop_back();
    parent_.push_back(open.empty() ? kNoLine : open.back());
    if (line(i).header) open.push_back(i);
  }
}

bool Statements::is_function(std::uint32_t i) const {
  return word(i) == PyWord::def_ || (word(i) == PyWord::async_ && word(i, 1) == PyWord::def_);
}

/// Goes on with a statement that another line has begun.
bool Statements::is_clause(std::uint32_t i) const {
  const PyWord first = word(i);
  return first == PyWord::elif_ || first == PyWord::else_ || first == PyWord::except_ || first == PyWord::finally_;
}

/// Where the physical line begins in which the logical one does.
std::uint32_t Statements::begin_of(std::uint32_t i) const {
  const std::size_t end = text_.substr(0, lexed_.tokens[line(i).first].begin).find_last_of("\r\n");
  return end == std::string_view::npos ? 0 : static_cast<std::uint32_t>(end + 1);
}

std::uint32_t Statements::line_at(std::uint32_t offset) const {
  const auto after = std::partition_point(lexed_.lines.begin(), lexed_.lines.end(),
                                          [&](const PyLine& l) { return lexed_.tokens[l.first].begin <= offset; });
  return after == lexed_.lines.begin() ? 0 : static_cast<std::uint32_t>(after - lexed_.lines.begin() - 1);
}

Span Statements::around(std::uint32_t i) const {
  while (!is_function(i) && parent_[i] != kNoLine) i = parent_[i];
  const std::uint32_t indent = line(i).indent;
  const auto beside = [&](std::uint32_t k) { return line(k).indent == indent && parent_[k] == parent_[i]; };
  std::uint32_t first = i, end = i + 1;
  while (first > 0 && (is_clause(first) || !beside(first) || is_decorator(first - 1))) --first;
  while (end < lexed_.lines.size() && (line(end).indent > indent || is_clause(end) || is_decorator(end - 1))) ++end;
  return {begin_of(first), end < lexed_.lines.size() ? begin_of(end) : static_cast<std::uint32_t>(text_.size())};
}

}  // namespace

bool touched_statements_parse(std::string_view text, const PyLexed& lexed, const std::vector<Span>& places) {
  if (lexed.damage > 0 || lexed.lines.empty()) return false;
  const Statements statements(text, lexed);
  std::set<std::pair<std::uint32_t, std::uint32_t>> spans;
  for (const Span place : places)
    for (std::uint32_t i = statements.line_at(place.begin); i <= statements.line_at(place.end); ++i) {
      const Span span = statements.around(i);
      spans.emplace(span.begin, span.end);
    }
  return std::all_of(spans.begin(), spans.end(), [&](const auto& span) {
    const std::string_view statement = text.substr(span.first, span.second - span.first);
    const bool indented = statement.starts_with(' ') || statement.starts_with('\t');
    return !PythonTree(indented ? "if 1:\n" + std::string(statement) : std::string(statement)).damaged();
  });
}

}  // namespace accelport
