#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/command_line.h"
#include "syntax/device_words.h"
#include "syntax/reader.h"
#include "syntax/sink.h"

namespace accelport {
namespace {

/// CMake's language: commands with arguments, comments, bracket arguments, `if` as guard.
class CmakeReader {
 public:
  explicit CmakeReader(SiteSink& sink) : sink_(sink) {}

  void read();

 private:
  struct Argument {
    Span span;
    std::string_view value;
  };

  bool skip_comment();
  void command(Span name);
  void argument();
  std::uint32_t bracket_end(std::uint32_t begin) const;
  std::uint32_t quoted_end(std::uint32_t begin) const;
  void emit(Span name);
  void emit_argument(const std::string& callee, std::size_t index);
  void reads(Span span, std::string_view target);
  void branch(const std::string& callee);
  bool at_end() const { return at_ >= sink_.text().size(); }
  char here() const { return sink_.text()[at_]; }

  SiteSink& sink_;
  std::uint32_t at_ = 0;
  std::vector<Argument> arguments_;
  std::vector<std::pair<Guard, Guard>> conditions_;  // (outer guards, the condition's)
};

void CmakeReader::read() {
  while (!at_end()) {
    if (skip_comment()) continue;
    if (!is_word_byte(here())) {
      ++at_;
      continue;
    }
    const std::uint32_t begin = at_;
    while (!at_end() && is_word_byte(here())) ++at_;
    command({begin, at_});
  }
}

/// `# …` up to the line's end, `#[[ … ]]` up to its closer.
bool CmakeReader::skip_comment() {
  if (here() != '#') return false;
  const std::uint32_t begin = at_;
  const std::uint32_t bracket =
      at_ + 1 < sink_.text().size() && sink_.text()[at_ + 1] == '[' ? bracket_end(at_ + 1) : 0;
  at_ = bracket != 0 ? bracket : line_from(sink_.text(), at_).span.end;
  for (std::uint32_t line = begin; line < at_;) {
    const TextLine one = line_from(sink_.text().substr(0, at_), line);
    const Span body = trim(sink_.text(), one.span);
    if (Site* site = sink_.add(body, SiteKind::comment, Context::none)) site->value = std::string(sink_.text(body));
    line = one.next;
  }
  return true;
}

/// Behind the bracket argument that opens at `begin`, or 0.
std::uint32_t CmakeReader::bracket_end(std::uint32_t begin) const {
  const std::string_view text = sink_.text();
  std::uint32_t i = begin + 1;
  while (i < text.size() && text[i] == '=') ++i;
  if (i >= text.size() || text[i] != '[' || i - begin > 32) return 0;
  const std::string closer = "]" + std::string(i - begin - 1, '=') + "]";
  const std::size_t close = text.find(closer, i);
  return close == std::string_view::npos ? static_cast<std::uint32_t>(text.size())
                                         : static_cast<std::uint32_t>(close + closer.size());
}

std::uint32_t CmakeReader::quoted_end(std::uint32_t begin) const {
  const std::string_view text = sink_.text();
  for (std::uint32_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return static_cast<std::uint32_t>(text.size());
}

void CmakeReader::command(Span name) {
  while (!at_end() && (here() == ' ' || here() == '\t')) ++at_;
  if (at_end() || here() != '(') return;
  ++at_;
  arguments_.clear();
  int depth = 1;
  while (!at_end() && depth > 0) {
    const char c = here();
    if (is_ascii_space(c) || c == ';') {
      ++at_;
    } else if (c == '(') {
      ++depth;
      ++at_;
    } else if (c == ')') {
      --depth;
      ++at_;
    } else if (!skip_comment()) {
      argument();
    }
  }
  if (depth > 0) sink_.add_damage();
  ++sink_.statement;
  emit(name);
}

void CmakeReader::argument() {
  const std::uint32_t begin = at_;
  const std::string_view text = sink_.text();
  if (here() == '"') {
    at_ = std::min<std::uint32_t>(quoted_end(at_), static_cast<std::uint32_t>(text.size()));
  } else if (here() == '[' && bracket_end(at_) != 0) {
    at_ = bracket_end(at_);
  } else {
    while (!at_end() && !is_ascii_space(here()) && here() != '(' && here() != ')' && here() != '"' && here() != '#' &&
           here() != ';') {
      at_ += here() == '\\' ? 2 : 1;
    }
    at_ = std::min<std::uint32_t>(std::max(at_, begin + 1), static_cast<std::uint32_t>(text.size()));
  }
  arguments_.push_back({{begin, at_}, without_quotes(text.substr(begin, at_ - begin))});
}

void CmakeReader::emit(Span name) {
  const std::string callee = ascii_lower(sink_.text(name));
  if (Site* site = sink_.add(name, SiteKind::directive, Context::command_name)) {
    site->callee = callee;
    site->api = "cmake:" + callee;
    if (!arguments_.empty()) site->first_argument = std::string(arguments_.front().value);
  }
  branch(callee);
  if (arguments_.empty() || !sink_.touched({arguments_.front().span.begin, arguments_.back().span.end})) return;
  for (std::size_t i = 0; i < arguments_.size(); ++i) emit_argument(callee, i);
}

void CmakeReader::branch(const std::string& callee) {
  if (callee == "if" || callee == "elseif" || callee == "while") {
    const std::string_view condition = arguments_.empty()
                                           ? std::string_view()
                                           : sink_.text({arguments_.front().span.begin, arguments_.back().span.end});
    const Guard guard = guard_of_condition(condition, sink_.input().facts) | Guard::option;
    if (callee == "elseif" && !conditions_.empty()) {
      sink_.guards = conditions_.back().first | guard |
                     (has(conditions_.back().second | guard, Guard::other_platform) ? Guard::family : Guard::none);
      conditions_.back().second |= guard;
      return;
    }
    if (conditions_.size() < 4096) conditions_.push_back({sink_.guards, guard});
    sink_.guards |= guard;
  } else if (callee == "else") {
    if (!conditions_.empty()) sink_.guards = conditions_.back().first | guard_of_else(conditions_.back().second);
  } else if ((callee == "endif" || callee == "endwhile") && !conditions_.empty()) {
    sink_.guards = conditions_.back().first;
    conditions_.pop_back();
  }
}

void CmakeReader::emit_argument(const std::string& callee, std::size_t index) {
  const Argument& argument = arguments_[index];
  if (!sink_.touched(argument.span)) return;
  const std::string_view target = index > 0 ? arguments_.front().value : std::string_view();
  const std::size_t first = sink_.count();
  reads(argument.span, target);
  if (!sink_.touched_outside(argument.span, first)) return;
  const bool sets = callee == "set" || callee == "option" || callee == "unset" || callee == "cmake_dependent_option" ||
                    callee == "list" || callee == "string";
  const bool names = sets && index == (callee == "list" ? 1u : 0u);
  const bool condition = callee == "if" || callee == "elseif" || callee == "while";
  Site* site = sink_.add(argument.span, names ? SiteKind::variable : SiteKind::directive,
                         names       ? (callee == "unset" ? Context::removed : Context::set)
                         : condition ? Context::condition
                                     : Context::argument);
  if (site == nullptr) return;
  site->callee = callee;
  site->argument = static_cast<int>(index);
  site->value = std::string(argument.value);
  site->keyword = std::string(callee == "list" && index > 1 ? arguments_[1].value : target);
  site->first_argument = std::string(arguments_.front().value);
  if (callee == "message") site->flows |= Flow::message;
  if (argument.value.find('/') != std::string_view::npos) site->flows |= Flow::path;
  if (!names) return;
  const bool environment = argument.value.starts_with("ENV{");
  site->api = environment ? "env:" + std::string(argument.value.substr(4, argument.value.size() - 5))
                          : "cmake:" + std::string(argument.value);
  site->keyword = std::string(argument.value);
  if (index + 1 < arguments_.size()) site->value = std::string(arguments_[index + 1].value);
}

/// `${NAME}`, `$ENV{NAME}`, `$CACHE{NAME}`.
void CmakeReader::reads(Span span, std::string_view target) {
  const std::string_view text = sink_.text();
  for (std::uint32_t i = span.begin; i + 2 < span.end; ++i) {
    if (text[i] != '$') continue;
    std::uint32_t open = i + 1;
    while (open < span.end && is_ascii_alpha(text[open])) ++open;
    if (open >= span.end || text[open] != '{') continue;
    std::uint32_t close = open + 1;
    while (close < span.end && (is_word_byte(text[close]) || text[close] == '-' || text[close] == '.')) ++close;
    if (close >= span.end || text[close] != '}') continue;
    Site* site = sink_.add({i, close + 1}, SiteKind::variable, Context::read);
    if (site != nullptr) {
      const std::string name(text.substr(open + 1, close - open - 1));
      site->api = (text.substr(i + 1, open - i - 1) == "ENV" ? "env:" : "cmake:") + name;
      site->keyword = std::string(target);
    }
    i = close;
  }
}

}  // namespace

void read_cmake(const ReadInput& input, ReadOutput& output) {
  SiteSink sink(input, output);
  CmakeReader(sink).read();
  sink.guards = Guard::none;
  sink.finish(SiteKind::text);
}

}  // namespace accelport
