#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/command_line.h"
#include "syntax/device_words.h"
#include "syntax/listed.h"
#include "syntax/reader.h"
#include "syntax/shell_lexer.h"
#include "syntax/sink.h"

namespace accelport {
namespace {

constexpr int kMaxSubstitutionDepth = 8;

constexpr std::string_view kDeclarers[] = {"export", "declare", "local", "readonly", "typeset", "setenv"};
constexpr std::string_view kTests[] = {"[",    "[[",   "test",       "command", "which",
                                       "type", "hash", "nvidia-smi", "grep",    "nvcc"};
constexpr std::string_view kPlainWords[] = {"then", "do", "else", "!", "{", "}", "time", "fi", "done", "esac"};

/// What a block of the shell lends to its body.
struct Block {
  enum class Kind : std::uint8_t { if_, loop, case_, function } kind;
  Guard outer = Guard::none;      // guards outside of the block
  Guard condition = Guard::none;  // what the branch's condition asks
  std::string_view outer_function;
};

/// Where a redirection of the last command goes, for the here-document that follows the line.
struct HereTarget {
  std::string program;
  std::string file;
};

class ShellReader {
 public:
  ShellReader(SiteSink& sink, int depth) : sink_(sink), depth_(depth) {}

  void read(Span range);

 private:
  using Token = ShellToken;

  void operation(const std::vector<Token>& tokens, std::size_t& i);
  void split_case_head();
  void end_command();
  bool take_reserved();
  void open(Block::Kind kind);
  void close(Block::Kind kind);
  void else_branch();
  void take_condition(std::size_t from);
  void declaration();
  void removal();
  void case_pattern();
  void loop_head();
  void assignments();
  void assignment(const CommandWord& word, Context context);
  void command();
  void comment(Span span);
  void directive(Span span);
  void here_document(Span span);
  void redirect(const std::vector<Token>& tokens, std::size_t& i);
  void expand(const CommandWord& word);
  void expand_dollar(const CommandWord& word, std::uint32_t& i);
  void variable_read(const CommandWord& word, Span span, std::string_view name, std::string_view rest);
  void nested(Span inner);
  std::string_view word_text(std::size_t index) const { return sink_.text(words_[index].span); }

  SiteSink& sink_;
  int depth_;
  std::vector<Block> blocks_;
  std::vector<CommandWord> words_;
  std::size_t word_ = 0;       // the next word of `words_` to look at
  bool in_case_head_ = false;  // between `;;` and `)`
  Guard chain_ = Guard::none;  // from `test … &&`
  std::vector<HereTarget> here_targets_;
  std::size_t here_count_ = 0;  // here-documents of the current command
  std::string output_file_;
};

void ShellReader::read(Span range) {
  const ShellLexer lexer(sink_.text(), range);
  if (depth_ == 0) sink_.output().damage += lexer.damage();
  const std::vector<Token>& tokens = lexer.tokens();
  std::size_t here_next = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    switch (token.kind) {
      case Token::Kind::word:
        words_.push_back({token.span, shell_value(sink_.text(token.span))});
        break;
      case Token::Kind::redirect:
        redirect(tokens, i);
        break;
      case Token::Kind::comment:
        comment(token.span);
        break;
      case Token::Kind::here_document:
        if (here_next < here_targets_.size()) output_file_ = here_targets_[here_next].file;
        here_document(token.span);
        if (++here_next >= here_targets_.size()) here_next = 0, here_targets_.clear();
        break;
      case Token::Kind::newline:
        end_command();
        chain_ = Guard::none;
        ++sink_.statement;
        break;
      case Token::Kind::operation:
        operation(tokens, i);
        break;
    }
  }
  end_command();
}

void ShellReader::operation(const std::vector<Token>& tokens, std::size_t& i) {
  const std::string_view op = sink_.text(tokens[i].span);
  if (op == "(" && words_.size() == 1 && i + 1 < tokens.size() && sink_.text(tokens[i + 1].span) == ")") {
    words_.insert(words_.begin(), {tokens[i].span, "function"});  // NAME () {
    ++i;
    return end_command();
  }
  if (op == ")" && !in_case_head_ && !words_.empty() && words_.front().value == "case") split_case_head();
  if (op == ")" && in_case_head_) return case_pattern();
  if (op == "|" && in_case_head_) return;
  Guard asked = Guard::none;
  if ((op == "&&" || op == "||") && !words_.empty() && listed(words_.front().value, kTests)) {
    asked = guard_of_condition(sink_.text({words_.front().span.begin, words_.back().span.end}), sink_.input().facts);
  }
  end_command();
  chain_ = op == "&&" ? chain_ | asked : op == "||" ? guard_of_else(asked) : Guard::none;
  if (op == ";;" || op == ";&") in_case_head_ = !blocks_.empty() && blocks_.back().kind == Block::Kind::case_;
}

/// `case $x in a)`: the head and the first pattern on one line.
void ShellReader::split_case_head() {
  const auto in =
      std::find_if(words_.begin(), words_.end(), [](const CommandWord& word) { return word.value == "in"; });
  if (in == words_.end()) return;
  std::vector<CommandWord> pattern(in + 1, words_.end());
  words_.erase(in, words_.end());
  end_command();
  words_ = std::move(pattern);
}

/// Everything between two separators.
void ShellReader::end_command() {
  word_ = 0;
  if (in_case_head_ && !words_.empty()) {
    if (words_.front().value == "esac") {
      in_case_head_ = false;
    } else {
      words_.clear();
      return;
    }
  }
  while (word_ < words_.size() && take_reserved()) {
  }
  if (word_ < words_.size()) {
    const Guard kept = sink_.guards;
    sink_.guards |= chain_;
    assignments();
    command();
    sink_.guards = kept;
  }
  for (std::size_t i = 0; i < here_count_; ++i)
    here_targets_.push_back({words_.empty() ? std::string() : words_.front().value, output_file_});
  here_count_ = 0;
  output_file_.clear();
  words_.clear();
}

bool ShellReader::take_reserved() {
  const std::string& value = words_[word_].value;
  if (value == "if" || value == "elif") {
    if (value == "if") open(Block::Kind::if_);
    if (value == "elif") else_branch();
    take_condition(word_ + 1);
  } else if (value == "while" || value == "until") {
    open(Block::Kind::loop);
    sink_.guards |= Guard::loop;
  } else if (value == "for" || value == "select") {
    open(Block::Kind::loop);
    sink_.guards |= Guard::loop;
    loop_head();
    return false;
  } else if (value == "case") {
    open(Block::Kind::case_);
    if (word_ + 1 < words_.size()) expand(words_[word_ + 1]);
    in_case_head_ = true;
    if (!blocks_.empty()) blocks_.back().condition = Guard::option;
    words_.clear();
    return false;
  } else if (value == "function") {
    open(Block::Kind::function);
    if (word_ + 1 < words_.size()) {
      sink_.function = word_text(word_ + 1);
      if (Site* site = sink_.add(words_[word_ + 1].span, SiteKind::command, Context::definition))
        site->value = words_[word_ + 1].value;
    }
    word_ += 2;
    return true;
  } else if (value == "else") {
    else_branch();
  } else if (value == "fi") {
    close(Block::Kind::if_);
  } else if (value == "done") {
    close(Block::Kind::loop);
  } else if (value == "esac") {
    in_case_head_ = false;
    close(Block::Kind::case_);
  } else if (value == "}") {
    close(Block::Kind::function);
  } else if (!listed(value, kPlainWords)) {
    return false;
  }
  ++word_;
  return true;
}

void ShellReader::open(Block::Kind kind) {
  if (blocks_.size() < 4096) blocks_.push_back({kind, sink_.guards, Guard::none, sink_.function});
}

void ShellReader::close(Block::Kind kind) {
  if (blocks_.empty() || blocks_.back().kind != kind) return;
  sink_.guards = blocks_.back().outer;
  sink_.function = blocks_.back().outer_function;
  blocks_.pop_back();
}

void ShellReader::else_branch() {
  if (blocks_.empty() || blocks_.back().kind != Block::Kind::if_) return;
  Block& block = blocks_.back();
  sink_.guards = block.outer | guard_of_else(block.condition);
  if (has(block.condition, Guard::other_platform)) sink_.guards |= Guard::family;
}

/// The condition itself is read with its own guard: what it asks does not run without it.
void ShellReader::take_condition(std::size_t from) {
  if (from >= words_.size() || blocks_.empty()) return;
  const std::string_view condition = sink_.text({words_[from].span.begin, words_.back().span.end});
  const Guard guard = guard_of_condition(condition, sink_.input().facts);
  blocks_.back().condition |= guard;
  sink_.guards |= guard;
}

void ShellReader::loop_head() {
  for (std::size_t i = word_ + 1; i < words_.size(); ++i) {
    const std::size_t first = sink_.count();
    expand(words_[i]);
    if (!sink_.touched_outside(words_[i].span, first)) continue;
    Site* site = sink_.add(words_[i].span, SiteKind::command, i == word_ + 1 ? Context::target : Context::element);
    if (site == nullptr) continue;
    site->callee = "for";
    site->value = words_[i].value;
    if (word_ + 1 < words_.size()) site->keyword = words_[word_ + 1].value;
  }
  word_ = words_.size();
}

void ShellReader::case_pattern() {
  in_case_head_ = false;
  if (words_.empty() || blocks_.empty()) return;
  Block& block = blocks_.back();
  const Span all{words_.front().span.begin, words_.back().span.end};
  std::string pattern = "= " + std::string(sink_.text(all));
  sink_.guards = block.outer | guard_of_condition(pattern, sink_.input().facts) | Guard::option;
  if (Site* site = sink_.add(all, SiteKind::command, Context::pattern)) site->value = sink_.text(all);
  words_.clear();
}

void ShellReader::assignments() {
  std::size_t name_size = 0;
  std::size_t end = word_;
  while (end < words_.size() && is_assignment(words_[end].value, name_size)) ++end;
  const Context context = end < words_.size() ? Context::prefixed : Context::set;
  if (context == Context::prefixed && words_[end].value != "export") return;  // CommandLine tells the program too
  for (; word_ < end; ++word_) assignment(words_[word_], context);
}

void ShellReader::assignment(const CommandWord& word, Context context) {
  const std::size_t first = sink_.count();
  expand(word);
  if (!sink_.touched_outside(word.span, first)) return;
  std::size_t name_size = 0;
  const bool full = is_assignment(word.value, name_size);
  const std::string_view value = word.value;
  add_variable(sink_, word.span, full ? value.substr(0, name_size) : value,
               full ? value.substr(value.find('=') + 1) : std::string_view(), context);
}

void ShellReader::command() {
  if (word_ >= words_.size()) return;
  const std::string& name = words_[word_].value;
  if (listed(name, kDeclarers)) return declaration();
  if (name == "unset" || name == "unsetenv") return removal();
  std::vector<CommandWord> rest(words_.begin() + static_cast<std::ptrdiff_t>(word_), words_.end());
  const std::uint32_t begin = rest.front().span.begin;
  if (!sink_.touched({begin, rest.back().span.end})) return;
  CommandLine line(sink_, std::move(rest), [this](const CommandWord& word) { expand(word); });
  line.emit();
}

void ShellReader::declaration() {
  const std::string name = words_[word_].value;
  const bool exports =
      name == "export" || name == "setenv" || (word_ + 1 < words_.size() && words_[word_ + 1].value == "-x");
  for (std::size_t i = word_ + 1; i < words_.size(); ++i) {
    if (words_[i].value.starts_with("-")) continue;
    if (name == "setenv" && i + 1 < words_.size()) {
      add_variable(sink_, {words_[i].span.begin, words_[i + 1].span.end}, words_[i].value, words_[i + 1].value,
                   Context::exported);
      return;
    }
    assignment(words_[i], exports ? Context::exported : Context::set);
  }
}

void ShellReader::removal() {
  for (std::size_t i = word_ + 1; i < words_.size(); ++i)
    add_variable(sink_, words_[i].span, words_[i].value, {}, Context::removed);
}

void ShellReader::redirect(const std::vector<Token>& tokens, std::size_t& i) {
  const std::string_view op = sink_.text(tokens[i].span);
  // "2>file": the number is a word that belongs to the redirection.
  if (!words_.empty() && words_.back().span.end == tokens[i].span.begin &&
      words_.back().value.find_first_not_of("0123456789") == std::string::npos)
    words_.pop_back();
  if (i + 1 >= tokens.size() || tokens[i + 1].kind != Token::Kind::word) return;
  const CommandWord target{tokens[i + 1].span, shell_value(sink_.text(tokens[i + 1].span))};
  ++i;
  if (op == "<<" || op == "<<-") {
    ++here_count_;
    return;
  }
  if (op.starts_with('>')) output_file_ = target.value;
  const std::size_t first = sink_.count();
  expand(target);
  if (!sink_.touched_outside(target.span, first)) return;
  if (Site* site = sink_.add(target.span, SiteKind::command, Context::command_argument)) {
    site->keyword = std::string(op);
    site->value = target.value;
    if (op != "<<<") site->flows |= Flow::path;
    if (!words_.empty()) site->callee = words_.front().value;
  }
}

void ShellReader::here_document(Span span) {
  if (!sink_.touched(span)) return;
  std::string program = here_targets_.empty() ? std::string() : here_targets_.front().program;
  const std::string_view name = last_component(program);
  FileKind kind{Language::text, sink_.input().kind.roles};
  if (name.starts_with("python")) kind.language = Language::python;
  if (name == "bash" || name == "sh" || name == "ssh" || name == "sbatch" || name == "sudo")
    kind.language = Language::shell;
  if (kind.language == Language::text && !output_file_.empty())
    kind.language = file_kind(output_file_, sink_.text(span)).language;
  if (kind.language != Language::text) {
    sink_.read_piece(span, kind);
    return;
  }
  for (std::uint32_t at = span.begin; at < span.end;) {
    const TextLine line = line_from(sink_.text().substr(0, span.end), at);
    if (Site* site = sink_.add(trim(sink_.text(), line.span), SiteKind::string, Context::other)) {
      site->callee = std::string(name);
      site->value = std::string(trim(sink_.text(line.span)));
      site->flows |= output_file_.empty() ? Flow::message : Flow::none;
    }
    at = line.next;
  }
}

void ShellReader::comment(Span span) {
  const std::string_view text = sink_.text(span);
  for (const std::string_view mark : {"#SBATCH", "#PBS", "#BSUB", "#COBALT", "#$ -", "#FLUX", "#OAR"}) {
    if (text.starts_with(mark)) return directive(span);
  }
  if (Site* site = sink_.add(span, SiteKind::comment, Context::none))
    site->value = std::string(trim(text.substr(std::min<std::size_t>(text.find_first_not_of('#'), text.size()))));
}

/// `#SBATCH --gres=gpu:4`: keyword is the option.
void ShellReader::directive(Span span) {
  Site* site = sink_.add(span, SiteKind::directive, Context::command_option);
  if (site == nullptr) return;
  const std::string_view text = sink_.text(span);
  const std::size_t blank = std::min(text.find_first_of(" \t"), text.size());
  site->callee = std::string(text.substr(1, blank - 1));
  std::string_view option = trim(text.substr(blank));
  option = option.substr(0, option.find(" #"));
  const std::size_t cut = std::min(option.find_first_of("= \t"), option.size());
  site->keyword = std::string(option.substr(0, cut));
  site->value = std::string(trim(option.substr(std::min(cut + 1, option.size()))));
}

/// Adds the sites inside of a word: variables that are read, commands that are substituted.
void ShellReader::expand(const CommandWord& word) {
  if (!sink_.touched(word.span)) return;
  const std::string_view text = sink_.text();
  bool quoted = false;
  for (std::uint32_t i = word.span.begin; i < word.span.end;) {
    const char c = text[i];
    if (c == '\\') {
      i += 2;
    } else if (c == '"') {
      quoted = !quoted;
      ++i;
    } else if (c == '\'' && !quoted) {
      const std::size_t close = text.find('\'', i + 1);
      if (close == std::string_view::npos || close >= word.span.end) return;
      i = static_cast<std::uint32_t>(close) + 1;
    } else if (c == '`') {
      const std::uint32_t end = ShellLexer::matching_end(text, i, word.span.end);
      if (end == 0) return;
      nested({i + 1, end - 1});
      i = end;
    } else if (c == '$') {
      expand_dollar(word, i);
    } else if ((c == '(' || ((c == '<' || c == '>') && text[i + 1] == '(')) && !quoted && i == word.span.begin) {
      ++i;
      if (c != '(' && word.span.end > i + 2) {
        nested({i + 1, word.span.end - 1});
        return;
      }
    } else {
      ++i;
    }
  }
}

void ShellReader::expand_dollar(const CommandWord& word, std::uint32_t& i) {
  const std::string_view text = sink_.text();
  const std::uint32_t begin = i;
  const char next = i + 1 < word.span.end ? text[i + 1] : '\0';
  if (next == '(' || next == '{') {
    const std::uint32_t end = ShellLexer::matching_end(text, i, word.span.end);
    if (end == 0) {
      i += 2;
      return;
    }
    if (next == '(') {
      if (text.substr(i, 3) != "$((") nested({i + 2, end - 1});
      i = text.substr(i, 3) == "$((" ? i + 3 : end;
      return;
    }
    std::uint32_t stop = i + 2;
    while (stop < end && (text[stop] == '!' || text[stop] == '#')) ++stop;
    const std::uint32_t name = stop;
    while (stop < end - 1 && is_word_byte(text[stop])) ++stop;
    variable_read(word, {begin, end}, text.substr(name, stop - name), text.substr(stop, end - 1 - stop));
    i = end;
    return;
  }
  std::uint32_t stop = i + 1;
  while (stop < word.span.end && is_word_byte(text[stop]) && static_cast<unsigned char>(text[stop]) < 0x80) ++stop;
  if (stop > i + 1) variable_read(word, {begin, stop}, text.substr(i + 1, stop - i - 1), {});
  i = std::max(stop, i + 1);
}

void ShellReader::variable_read(const CommandWord& word, Span span, std::string_view name, std::string_view rest) {
  Site* site = add_variable(sink_, span, name, {}, Context::read);
  if (site == nullptr) return;
  std::size_t name_size = 0;
  if (is_assignment(word.value, name_size)) site->keyword = word.value.substr(0, name_size);
  if (rest.starts_with(":-") || rest.starts_with(":=")) site->value = std::string(rest.substr(2));
  if (rest.starts_with("-") || rest.starts_with("=")) site->value = std::string(rest.substr(1));
}

void ShellReader::nested(Span inner) {
  if (depth_ >= kMaxSubstitutionDepth || !sink_.touched(inner)) return;
  const Guard kept = sink_.guards;
  const std::string_view function = sink_.function;
  ShellReader(sink_, depth_ + 1).read(inner);
  sink_.guards = kept;
  sink_.function = function;
}

}  // namespace

void read_shell(const ReadInput& input, ReadOutput& output) {
  SiteSink sink(input, output);
  ShellReader(sink, 0).read({0, static_cast<std::uint32_t>(input.text.size())});
  sink.guards = Guard::none;
  sink.function = {};
  sink.finish(SiteKind::text);
}

}  // namespace accelport
