#include "prove/shell_statements.h"

#include <algorithm>

#include "syntax/listed.h"
#include "syntax/shell_lexer.h"

namespace accelport {
namespace {

constexpr std::string_view kKeywords[] = {"if", "then", "elif", "else", "do", "while", "until", "!", "{", "time"};
constexpr std::string_view kHeads[] = {"export", "declare", "typeset", "local", "readonly"};
constexpr std::string_view kRunners[] = {"nohup", "exec", "nice", "srun", "timeout", "setsid", "stdbuf", "command"};
constexpr int kDeepest = 8;

/// NAME= or NAME+= in front.
bool sets(std::string_view word) {
  std::size_t i = 0;
  while (i < word.size() && is_word_byte(word[i])) ++i;
  if (i == 0 || is_ascii_digit(word[0])) return false;
  return word.substr(i, 1) == "=" || word.substr(i, 2) == "+=";
}

/// One level of a script: tokens are gathered into statements at every separator.
class Level {
 public:
  Level(std::string_view text, int depth, std::vector<ShellStatement>& out) : text_(text), depth_(depth), out_(out) {}

  void read(Span range);

 private:
  using Kind = ShellToken::Kind;

  std::string_view at(std::size_t i) const { return slice(text_, words_[i]); }
  void close(std::string_view by);
  bool fill(ShellStatement& statement, std::size_t first) const;
  bool fill_after_head(ShellStatement& statement, std::size_t first, std::string_view options) const;
  bool fill_environment(ShellStatement& statement, std::size_t first) const;
  void descend(Span word);

  std::string_view text_;
  int depth_;
  std::vector<ShellStatement>& out_;
  std::vector<Span> words_;
  std::string_view opened_by_ = "\n";
  bool continued_ = false;
  bool redirects_ = false;
};

void Level::descend(Span word) {
  bool in_string = false;
  for (std::uint32_t i = word.begin; i < word.end && depth_ < kDeepest; ++i) {
    const bool substitution = text_[i] == '$' && i + 2 < word.end && text_[i + 1] == '(' && text_[i + 2] != '(';
    const bool literal = text_[i] == '`' || (text_[i] == '\'' && !in_string);
    if (text_[i] == '\\') {
      ++i;
    } else if (text_[i] == '"') {
      in_string = !in_string;
    } else if (substitution || literal) {
      const std::uint32_t end = ShellLexer::matching_end(text_, i, word.end);
      if (end == 0) return;
      if (substitution) Level(text_, depth_ + 1, out_).read({i + 2, end - 1});
      i = end - 1;
    }
  }
}

bool Level::fill_after_head(ShellStatement& statement, std::size_t first, std::string_view options) const {
  std::size_t i = first + 1;
  for (; i < words_.size() && at(i).starts_with('-'); ++i)
    if (at(i).find_first_not_of(options) != std::string_view::npos) return false;
  statement.head = {words_[first].begin, words_[i - 1].end};
  for (; i < words_.size(); ++i) statement.items.push_back(words_[i]);
  return true;
}

bool Level::fill_environment(ShellStatement& statement, std::size_t first) const {
  std::size_t env = first;
  while (env < words_.size() && at(env) != "env" && at(env) != "/usr/bin/env") ++env;
  if (env == words_.size() || (env > first && !listed(at(first), kRunners))) return false;
  std::size_t i = env + 1;
  for (; i < words_.size() && (at(i).starts_with('-') || at(i - 1) == "-u"); ++i)
    if (at(i).starts_with("-S") || at(i).starts_with("--split")) return false;
  for (; i < words_.size() && sets(at(i)); ++i) statement.items.push_back(words_[i]);
  statement.kind = StatementKind::environment;
  return true;
}

bool Level::fill(ShellStatement& statement, std::size_t first) const {
  std::size_t i = first;
  for (; i < words_.size() && sets(at(i)); ++i) statement.items.push_back(words_[i]);
  if (i > first) {
    statement.kind = i < words_.size() ? StatementKind::prefix : StatementKind::bare;
    return true;
  }
  if (listed(at(first), kHeads)) {
    statement.kind = StatementKind::declaration;
    return fill_after_head(statement, first, "-xgr");
  }
  if (at(first) == "unset") {
    statement.kind = StatementKind::removal;
    return fill_after_head(statement, first, "-v");
  }
  return fill_environment(statement, first);
}

void Level::close(std::string_view by) {
  std::size_t first = 0;
  while (first < words_.size() && listed(at(first), kKeywords)) ++first;
  ShellStatement statement;
  if (first < words_.size() && fill(statement, first)) {
    const bool elsewhere = by == ")" || by == "|" || by == "&" || opened_by_ == "|";
    if (statement.kind != StatementKind::bare || !elsewhere) {
      statement.inside = depth_ > 0;
      statement.whole_line =
          depth_ == 0 && first == 0 && opened_by_ == "\n" && by == "\n" && !continued_ && !redirects_;
      std::size_t end = std::min(text_.find('\n', words_.back().end), text_.size());
      if (end > words_.back().end && text_[end - 1] == '\r') --end;
      statement.line_end = static_cast<std::uint32_t>(end);
      out_.push_back(std::move(statement));
    }
  }
  if (by != "\n" || !words_.empty()) continued_ = by == "&&" || by == "||" || by == "|";
  opened_by_ = by;
  redirects_ = false;
  words_.clear();
}

void Level::read(Span range) {
  if (depth_ > 0) opened_by_ = "(";
  const ShellLexer lexer(text_, range);
  bool target = false;  // of a redirection
  for (const ShellToken& token : lexer.tokens()) {
    switch (token.kind) {
      case Kind::word:
        if (!target) words_.push_back(token.span);
        target = false;
        descend(token.span);
        break;
      case Kind::redirect:
        redirects_ = target = true;
        break;
      case Kind::newline:
        target = false;
        close("\n");
        break;
      case Kind::operation:
        target = false;
        close(slice(text_, token.span));
        break;
      case Kind::comment:
      case Kind::here_document:
        break;
    }
  }
  close("\n");
}

}  // namespace

std::vector<ShellStatement> shell_statements(std::string_view text) {
  std::vector<ShellStatement> statements;
  Level(text, 0, statements).read({0, static_cast<std::uint32_t>(text.size())});
  const auto begin = [](const ShellStatement& s) { return s.items.empty() ? s.head.begin : s.items[0].begin; };
  std::sort(statements.begin(), statements.end(),
            [&](const ShellStatement& a, const ShellStatement& b) { return begin(a) < begin(b); });
  return statements;
}

}  // namespace accelport
