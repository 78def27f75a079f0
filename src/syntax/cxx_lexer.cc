#include "syntax/cxx_lexer.h"

#include <algorithm>
#include <string>

namespace accelport {
namespace {

using Kind = CxxToken::Kind;

constexpr std::string_view kOperators[] = {
    "<<<", ">>>", "...", "<<=", ">>=", "->*", "::", "->", "==", "!=", "<=", ">=", "&&",
    "||",  "++",  "--",  "+=",  "-=",  "*=",  "/=", "|=", "&=", "^=", "%=", "<<", "##"};

class CxxLexer {
 public:
  CxxLexer(std::string_view text, std::uint32_t& damage) : text_(text), damage_(damage) {
    tokens_.reserve(text.size() / 5);
  }

  std::vector<CxxToken> run();

 private:
  void add(Kind kind, std::uint32_t begin);
  bool skip_space();
  void comment();
  void literal(std::uint32_t begin);
  void raw_string(std::uint32_t begin);
  void word();
  void number();
  void header();
  void punctuation();
  bool splice_at(std::uint32_t i) const;
  char at(std::uint32_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(text_.size()); }

  std::string_view text_;
  std::uint32_t& damage_;
  std::uint32_t i_ = 0;
  bool line_start_ = true;
  bool directive_ = false;
  bool expect_header_ = false;
  int unclosed_ = 0;
  std::vector<CxxToken> tokens_;
};

std::vector<CxxToken> CxxLexer::run() {
  while (i_ < size()) {
    if (skip_space()) continue;
    const char c = text_[i_];
    const std::uint32_t begin = i_;
    if (c == '/' && (at(i_ + 1) == '/' || at(i_ + 1) == '*')) {
      comment();
    } else if ((c == '#' || text_.substr(i_, 2) == "%:") && line_start_) {
      directive_ = true;
      i_ += c == '#' ? 1 : 2;
      add(Kind::hash, begin);
    } else if (expect_header_ && (c == '<' || c == '"')) {
      header();
    } else if (c == '"' || c == '\'') {
      literal(begin);
    } else if (is_word_byte(c) && !is_ascii_digit(c)) {
      word();
    } else if (is_ascii_digit(c) || (c == '.' && is_ascii_digit(at(i_ + 1)))) {
      number();
    } else {
      punctuation();
    }
  }
  return std::move(tokens_);
}

void CxxLexer::add(Kind kind, std::uint32_t begin) {
  tokens_.push_back({kind, directive_, line_start_, {begin, std::min(i_, size())}});
  if (kind != Kind::comment) line_start_ = false;
}

bool CxxLexer::splice_at(std::uint32_t i) const {
  return at(i) == '\\' && (at(i + 1) == '\n' || (at(i + 1) == '\r' && at(i + 2) == '\n'));
}

bool CxxLexer::skip_space() {
  const char c = text_[i_];
  if (c == '\n') {
    line_start_ = true;
    directive_ = expect_header_ = false;
    ++i_;
    return true;
  }
  if (splice_at(i_)) {
    i_ += at(i_ + 1) == '\n' ? 2 : 3;
    return true;
  }
  if (!is_ascii_space(c)) return false;
  ++i_;
  return true;
}

/// Block comments and line comments (which a backslash at the line's end carries on).
void CxxLexer::comment() {
  const std::uint32_t begin = i_;
  if (text_[i_ + 1] == '*') {
    const std::size_t close = text_.find("*/", i_ + 2);
    if (close == std::string_view::npos) ++damage_;
    i_ = close == std::string_view::npos ? size() : static_cast<std::uint32_t>(close) + 2;
  } else {
    while (i_ < size() && text_[i_] != '\n') i_ += splice_at(i_) ? (at(i_ + 1) == '\n' ? 2 : 3) : 1;
    if (i_ > begin && at(i_ - 1) == '\r') --i_;
  }
  add(Kind::comment, begin);
}

void CxxLexer::literal(std::uint32_t begin) {
  const char quote = text_[i_++];
  while (i_ < size() && text_[i_] != quote && text_[i_] != '\n')
    i_ += text_[i_] == '\\' ? (splice_at(i_) && at(i_ + 1) == '\r' ? 3 : 2) : 1;
  if (at(i_) == quote) {
    ++i_;
  } else {
    ++damage_;
    i_ = std::min(i_, size());
  }
  add(quote == '"' ? Kind::string : Kind::character, begin);
}

/// R"delimiter( … )delimiter"
void CxxLexer::raw_string(std::uint32_t begin) {
  const std::size_t size = text_.substr(i_, 19).find('(');
  if (size == std::string_view::npos || unclosed_ > 8) return literal(begin);
  const std::string closer = ")" + std::string(text_.substr(i_ + 1, size - 1)) + "\"";
  const std::size_t close = text_.find(closer, i_ + size);
  if (close == std::string_view::npos) {
    ++unclosed_;  // each costs a look at the rest of the text
    return literal(begin);
  }
  i_ = static_cast<std::uint32_t>(close + closer.size());
  add(Kind::string, begin);
}

void CxxLexer::word() {
  const std::uint32_t begin = i_;
  while (i_ < size() && is_word_byte(text_[i_])) ++i_;
  const std::string_view name = text_.substr(begin, i_ - begin);
  const bool prefix = name.size() <= 3 && (at(i_) == '"' || (at(i_) == '\'' && name != "R"));
  if (prefix && (name == "R" || name == "LR" || name == "u8R" || name == "uR" || name == "UR") && at(i_) == '"')
    return raw_string(begin);
  if (prefix && (name == "L" || name == "u8" || name == "u" || name == "U")) return literal(begin);
  const bool behind_hash = directive_ && !tokens_.empty() && tokens_.back().kind == Kind::hash;
  if (behind_hash && (name == "include" || name == "include_next" || name == "import")) expect_header_ = true;
  add(Kind::identifier, begin);
}

void CxxLexer::number() {
  const std::uint32_t begin = i_;
  const bool hex = ascii_lower(at(i_ + 1)) == 'x';
  while (i_ < size()) {
    const char c = text_[i_];
    const char before = i_ > begin ? text_[i_ - 1] : '\0';
    const bool power = before == 'p' || before == 'P' || (!hex && (before == 'e' || before == 'E'));
    const bool exponent = (c == '+' || c == '-') && power;
    const bool separator = c == '\'' && is_word_byte(at(i_ + 1));
    if (!is_word_byte(c) && c != '.' && !exponent && !separator) break;
    ++i_;
  }
  add(Kind::number, begin);
}

void CxxLexer::header() {
  const std::uint32_t begin = i_;
  const char closer = text_[i_] == '<' ? '>' : '"';
  ++i_;
  while (i_ < size() && text_[i_] != closer && text_[i_] != '\n') ++i_;
  if (at(i_) == closer) ++i_;
  expect_header_ = false;
  add(Kind::header, begin);
}

void CxxLexer::punctuation() {
  const std::uint32_t begin = i_;
  std::uint32_t length = 1;
  for (const std::string_view text : kOperators) {
    if (text_.substr(i_, text.size()) == text) {
      length = static_cast<std::uint32_t>(text.size());
      break;
    }
  }
  i_ += length;
  add(Kind::punctuation, begin);
}

}  // namespace

std::vector<CxxToken> lex_cxx(std::string_view text, std::uint32_t& damage) { return CxxLexer(text, damage).run(); }

}  // namespace accelport
