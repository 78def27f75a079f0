#include "syntax/shell_lexer.h"

#include <algorithm>

namespace accelport {
namespace {

constexpr int kMaxFailures = 8;
constexpr std::size_t kMaxNesting = 64;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool ends_word(char c) {
  return is_blank(c) || c == '\n' || c == ';' || c == '&' || c == '|' || c == '(' || c == ')' || c == '<' || c == '>';
}

std::uint32_t closing_quote(std::string_view text, std::uint32_t begin, std::uint32_t end, bool escapes) {
  const char quote = text[begin];
  for (std::uint32_t i = begin + 1; i < end; ++i) {
    if (escapes && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    }
  }
  return 0;
}

/// The closer that the group opening at `i` asks for, or 0; `size` gets the size of the opener.
char closer_of(std::string_view text, std::uint32_t i, std::uint32_t& size) {
  size = 1;
  switch (text[i]) {
    case '"':
      return '"';
    case '`':
      return '`';
    case '$':
      size = 2;
      return i + 1 >= text.size() ? 0 : text[i + 1] == '(' ? ')' : text[i + 1] == '{' ? '}' : 0;
    default:
      return 0;
  }
}

}  // namespace

std::uint32_t ShellLexer::matching_end(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  text = text.substr(0, end);
  if (text[begin] == '\'') return closing_quote(text, begin, end, begin > 0 && text[begin - 1] == '$');
  std::string open;
  for (std::uint32_t i = begin; i < end;) {
    const bool quoted = !open.empty() && open.back() == '"';
    if (text[i] == '\\') {
      i += 2;
      continue;
    }
    if (!open.empty() && text[i] == open.back()) {
      open.pop_back();
      ++i;
      if (open.empty()) return i;
      continue;
    }
    if (text[i] == '\'' && !quoted) {
      const std::uint32_t close = closing_quote(text, i, end, false);
      if (close == 0) return 0;
      i = close;
      continue;
    }
    std::uint32_t size = 1;
    char closer = closer_of(text, i, size);
    if (closer == 0 && text[i] == '(' && (open.empty() || open.back() == ')')) closer = ')', size = 1;
    if (closer != 0) {
      open += closer;
      if (open.size() > kMaxNesting) return 0;
      i += size;
    } else {
      if (open.empty()) return 0;
      ++i;
    }
  }
  return 0;
}

ShellLexer::ShellLexer(std::string_view text, Span range)
    : text_(text.substr(0, range.end)), at_(range.begin), end_(range.end) {
  run();
}

void ShellLexer::add(ShellToken::Kind kind, std::uint32_t begin, std::uint32_t end) {
  tokens_.push_back({kind, {begin, std::min(end, end_)}});
}

bool ShellLexer::at_command_start() const {
  return tokens_.empty() || tokens_.back().kind == ShellToken::Kind::newline ||
         tokens_.back().kind == ShellToken::Kind::operation ||
         (tokens_.back().kind == ShellToken::Kind::word && slice(text_, tokens_.back().span) == "for");
}

void ShellLexer::run() {
  while (at_ < end_) {
    const char c = text_[at_];
    if (is_blank(c)) {
      ++at_;
    } else if (c == '\\' && at_ + 1 < end_ && (text_[at_ + 1] == '\n' || text_.substr(at_ + 1, 2) == "\r\n")) {
      at_ += text_[at_ + 1] == '\n' ? 2 : 3;
    } else if (c == '\n') {
      add(ShellToken::Kind::newline, at_, at_ + 1);
      ++at_;
      if (!pending_.empty()) read_here_documents();
    } else if (c == '#') {
      const std::size_t end = text_.find('\n', at_);
      const std::uint32_t stop = end == std::string_view::npos ? end_ : static_cast<std::uint32_t>(end);
      add(ShellToken::Kind::comment, at_, stop > at_ && text_[stop - 1] == '\r' ? stop - 1 : stop);
      at_ = stop;
    } else if (c == '<' || c == '>') {
      read_redirect();
    } else if (c == ';' || c == '&' || c == '|' || c == '(' || c == ')') {
      read_operation();
    } else {
      read_word();
    }
  }
}

void ShellLexer::read_operation() {
  const char c = text_[at_];
  if (c == '(' && text_.substr(at_, 2) == "((" && at_command_start()) {
    const std::uint32_t begin = at_;
    const std::uint32_t close = skip_group(at_);
    at_ = close != 0 ? close : at_ + 2;
    add(ShellToken::Kind::word, begin, at_);
    return;
  }
  if (c == '&' && at_ + 1 < end_ && text_[at_ + 1] == '>') {
    ++at_;
    return read_redirect();
  }
  const bool twice = at_ + 1 < end_ && (text_[at_ + 1] == c || (c == '|' && text_[at_ + 1] == '&') ||
                                        (c == ';' && text_[at_ + 1] == '&'));
  const std::uint32_t size = twice && c != '(' && c != ')' ? 2 : 1;
  add(ShellToken::Kind::operation, at_, at_ + size);
  at_ += size;
}

void ShellLexer::read_redirect() {
  const std::uint32_t begin = at_;
  const char c = text_[at_];
  if (at_ + 1 < end_ && text_[at_ + 1] == '(') {  // process substitution
    const std::uint32_t close = skip_group(at_ + 1);
    if (close != 0) {
      add(ShellToken::Kind::word, begin, close);
      at_ = close;
      return;
    }
  }
  while (at_ < end_ && text_[at_] == c && at_ - begin < 3) ++at_;
  const std::uint32_t size = at_ - begin;
  if (at_ < end_ && (text_[at_] == '&' || text_[at_] == '|' || (c == '<' && size == 2 && text_[at_] == '-'))) ++at_;
  add(ShellToken::Kind::redirect, begin, at_);
  if (c != '<' || size != 2) return;
  Pending pending;
  pending.strip_tabs = text_[at_ - 1] == '-';
  std::uint32_t i = at_;
  while (i < end_ && is_blank(text_[i])) ++i;
  std::uint32_t stop = i;
  while (stop < end_ && !ends_word(text_[stop])) ++stop;
  pending.delimiter = shell_value(text_.substr(i, stop - i));
  if (!pending.delimiter.empty()) pending_.push_back(std::move(pending));
}

void ShellLexer::read_here_documents() {
  for (const Pending& pending : pending_) {
    const std::uint32_t begin = at_;
    std::uint32_t stop = end_;
    bool closed = false;
    while (at_ < end_ && !closed) {
      const std::size_t found = text_.find('\n', at_);
      const std::uint32_t line_end = found == std::string_view::npos ? end_ : static_cast<std::uint32_t>(found);
      // Indented terminators are accepted: the text may be the body of a block scalar or of a Makefile.
      if (trim(text_.substr(at_, line_end - at_)) == pending.delimiter) {
        stop = at_;
        closed = true;
      }
      at_ = std::min(end_, line_end + 1);
    }
    if (!closed) ++damage_;
    add(ShellToken::Kind::here_document, begin, stop);
  }
  pending_.clear();
}

std::uint32_t ShellLexer::skip_group(std::uint32_t at) {
  if (failures_ >= kMaxFailures) return 0;
  const std::uint32_t close = matching_end(text_, at, end_);
  if (close == 0) {
    ++failures_;
    ++damage_;
  }
  return close;
}

void ShellLexer::read_word() {
  const std::uint32_t begin = at_;
  while (at_ < end_ && !ends_word(text_[at_])) {
    const char c = text_[at_];
    if (c == '\\') {
      at_ = std::min(end_, at_ + 2);
      continue;
    }
    const bool opens = c == '\'' || c == '"' || c == '`' ||
                       (c == '$' && at_ + 1 < end_ && (text_[at_ + 1] == '(' || text_[at_ + 1] == '{'));
    const std::uint32_t close = opens ? skip_group(at_) : 0;
    at_ = close != 0 ? close : at_ + 1;
    // NAME=( … ) is one word to the shell.
    if (c == '=' && at_ < end_ && text_[at_] == '(') {
      const std::uint32_t array = skip_group(at_);
      if (array != 0) at_ = array;
    }
  }
  if (at_ == begin) ++at_;
  add(ShellToken::Kind::word, begin, at_);
}

std::string shell_value(std::string_view word) {
  std::string out;
  char quote = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && i + 1 < word.size()) {
      const char next = word[++i];
      if (next == '\n') continue;
      if (quote == '"' && next != '"' && next != '\\' && next != '$' && next != '`') out += c;
      out += next;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace accelport
