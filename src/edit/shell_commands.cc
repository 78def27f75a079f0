#include "edit/shell_commands.h"

#include <algorithm>

#include "syntax/command_line.h"
#include "syntax/listed.h"
#include "syntax/shell_lexer.h"

namespace accelport {
namespace {

using Kind = ShellToken::Kind;

constexpr int kMaxDepth = 8;
constexpr std::string_view kReserved[] = {"if", "then", "elif", "else", "do", "while", "until", "!", "{", "time"};
constexpr std::string_view kDeclarers[] = {"export", "declare", "typeset", "local", "readonly"};
constexpr std::string_view kWrappers[] = {"nohup", "exec", "nice", "srun", "timeout", "setsid", "stdbuf", "command"};
/// Options of declarations that leave a plain variable.
constexpr std::string_view kPlainOptions = "-xgr";

class CommandFinder {
 public:
  CommandFinder(std::string_view text, std::vector<ShellCommand>& out) : text_(text), out_(out) {}

  void find(Span range, int depth);

 private:
  std::string_view word(std::size_t i) const { return slice(text_, words_[i]); }
  void end_command(std::string_view terminator, bool ends_line);
  void classify(std::size_t first, ShellCommand& command) const;
  void take_environment(std::size_t first, ShellCommand& command) const;
  void take_declaration(std::size_t first, ShellCommand& command) const;
  void take_removal(std::size_t first, ShellCommand& command) const;
  void find_inside(Span word, int depth);
  void place(ShellCommand& command, std::size_t first, bool ends_line) const;

  std::string_view text_;
  std::vector<ShellCommand>& out_;
  std::vector<Span> words_;
  std::vector<Span> substitutions_;
  std::string_view before_;  // the operator in front of the command, "\n" at a line's begin
  bool joined_ = false;      // && || or | stands at the end of the line in front
  bool redirected_ = false;
  int depth_ = 0;
};

bool assigns(std::string_view word) {
  std::size_t size = 0;
  return is_assignment(word, size);
}

/// Words that end in a backquote or a quote may hold whole commands; those in `$(…)` are found, others are not.
void CommandFinder::find_inside(Span word, int depth) {
  if (depth >= kMaxDepth) return;
  bool quoted = false;
  for (std::uint32_t i = word.begin; i < word.end; ++i) {
    const char c = text_[i];
    if (c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if ((c == '\'' && !quoted) || c == '`') {
      const std::uint32_t close = ShellLexer::matching_end(text_, i, word.end);
      if (close == 0) return;
      i = close - 1;
    } else if (c == '$' && i + 2 < word.end && text_[i + 1] == '(' && text_[i + 2] != '(') {
      const std::uint32_t close = ShellLexer::matching_end(text_, i, word.end);
      if (close == 0) return;
      substitutions_.push_back({i + 2, close - 1});
      i = close - 1;
    }
  }
}

void CommandFinder::take_environment(std::size_t first, ShellCommand& command) const {
  std::size_t env = first;
  while (env < words_.size() && word(env) != "env" && word(env) != "/usr/bin/env") ++env;
  if (env == words_.size() || (env != first && !listed(word(first), kWrappers))) return;
  std::size_t i = env + 1;
  for (; i < words_.size() && (word(i).starts_with('-') || word(i - 1) == "-u"); ++i)
    if (word(i) == "-S" || word(i).starts_with("--split")) return;
  for (; i < words_.size() && assigns(word(i)); ++i) command.items.push_back(words_[i]);
  command.form = ShellForm::environment;
}

void CommandFinder::take_declaration(std::size_t first, ShellCommand& command) const {
  std::size_t i = first + 1;
  for (; i < words_.size() && word(i).starts_with('-'); ++i)
    if (word(i).find_first_not_of(kPlainOptions) != std::string_view::npos) return;
  command.head = {words_[first].begin, words_[i - 1].end};
  command.items.assign(words_.begin() + static_cast<std::ptrdiff_t>(i), words_.end());
  command.form = ShellForm::declaration;
}

void CommandFinder::take_removal(std::size_t first, ShellCommand& command) const {
  std::size_t i = first + 1;
  for (; i < words_.size() && word(i).starts_with('-'); ++i)
    if (word(i) != "-v") return;
  command.head = {words_[first].begin, words_[i - 1].end};
  command.items.assign(words_.begin() + static_cast<std::ptrdiff_t>(i), words_.end());
  command.form = ShellForm::removal;
}

void CommandFinder::classify(std::size_t first, ShellCommand& command) const {
  std::size_t i = first;
  for (; i < words_.size() && assigns(word(i)); ++i) command.items.push_back(words_[i]);
  if (i > first) {
    command.form = i == words_.size() ? ShellForm::bare : ShellForm::prefix;
  } else if (listed(word(first), kDeclarers)) {
    take_declaration(first, command);
  } else if (word(first) == "unset") {
    take_removal(first, command);
  } else {
    take_environment(first, command);
  }
}

void CommandFinder::place(ShellCommand& command, std::size_t first, bool ends_line) const {
  command.alone = depth_ == 0 && first == 0 && before_ == "\n" && !joined_ && ends_line && !redirected_;
  const std::size_t line = words_.front().begin == 0 ? std::string_view::npos : text_.rfind('\n', words_[0].begin - 1);
  command.line_begin = line == std::string_view::npos ? 0 : static_cast<std::uint32_t>(line) + 1;
  const std::size_t end = std::min(text_.find('\n', words_.back().end), text_.size());
  command.line_end = static_cast<std::uint32_t>(end > words_.back().end && text_[end - 1] == '\r' ? end - 1 : end);
}

void CommandFinder::end_command(std::string_view terminator, bool ends_line) {
  std::size_t first = 0;
  while (first < words_.size() && listed(word(first), kReserved)) ++first;
  if (first < words_.size()) {
    ShellCommand command;
    classify(first, command);
    // `A=1)` is a pattern of `case`, and what is piped or sent to the background lives in a shell of its own.
    const bool nowhere = command.form == ShellForm::bare &&
                         (terminator == ")" || terminator == "|" || terminator == "&" || before_ == "|");
    if (nowhere) command.form = ShellForm::other;
    if (command.form != ShellForm::other) {
      place(command, first, ends_line);
      command.depth = depth_;
      out_.push_back(std::move(command));
    }
  }
  if (!words_.empty() || terminator != "\n") joined_ = terminator == "&&" || terminator == "||" || terminator == "|";
  before_ = terminator;
  redirected_ = false;
  words_.clear();
}

void CommandFinder::find(Span range, int depth) {
  const ShellLexer lexer(text_, range);
  const std::vector<ShellToken>& tokens = lexer.tokens();
  depth_ = depth;
  words_.clear();
  substitutions_.clear();
  before_ = depth == 0 ? "\n" : "(";
  joined_ = redirected_ = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const ShellToken& token = tokens[i];
    if (token.kind == Kind::word) {
      words_.push_back(token.span);
      find_inside(token.span, depth);
    } else if (token.kind == Kind::redirect) {
      redirected_ = true;
      if (i + 1 < tokens.size() && tokens[i + 1].kind == Kind::word) find_inside(tokens[++i].span, depth);
    } else if (token.kind == Kind::newline) {
      end_command("\n", true);
    } else if (token.kind == Kind::operation) {
      end_command(slice(text_, token.span), false);
    }
  }
  end_command("\n", depth == 0);
  const std::vector<Span> inner = std::move(substitutions_);
  for (const Span& span : inner) CommandFinder(text_, out_).find(span, depth + 1);
}

}  // namespace

std::vector<ShellCommand> shell_commands(std::string_view text) {
  std::vector<ShellCommand> commands;
  CommandFinder(text, commands).find({0, static_cast<std::uint32_t>(text.size())}, 0);
  std::stable_sort(commands.begin(), commands.end(), [](const ShellCommand& a, const ShellCommand& b) {
    const std::uint32_t x = a.items.empty() ? a.head.begin : a.items.front().begin;
    const std::uint32_t y = b.items.empty() ? b.head.begin : b.items.front().begin;
    return x < y;
  });
  return commands;
}

}  // namespace accelport
