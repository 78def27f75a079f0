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

/// Makefiles: variables, targets, conditionals, and recipes that the shell reader takes.
class MakeReader {
 public:
  explicit MakeReader(SiteSink& sink) : sink_(sink) {}

  void read() {
    std::uint32_t at = 0;
    while (at < sink_.text().size()) at = read_line(at);
  }

 private:
  std::uint32_t read_line(std::uint32_t begin);
  std::uint32_t logical_end(std::uint32_t begin) const;
  void recipe(Span span);
  void plain(Span body);
  bool conditional(Span body);
  void assignment(Span body, std::uint32_t cut);
  void rule(Span body);
  void reads(Span span, std::string_view target);
  void words(Span span, std::string_view callee, Context context);

  SiteSink& sink_;
  std::vector<std::pair<Guard, Guard>> conditions_;  // (outer guards, the condition's)
};

/// Lines that end in a backslash go on.
std::uint32_t MakeReader::logical_end(std::uint32_t begin) const {
  std::uint32_t at = begin;
  while (at < sink_.text().size()) {
    const TextLine line = line_from(sink_.text(), at);
    at = line.next;
    if (!sink_.text(line.span).ends_with('\\')) break;
  }
  return at;
}

std::uint32_t MakeReader::read_line(std::uint32_t begin) {
  const std::uint32_t next = logical_end(begin);
  const Span body = trim(sink_.text(), {begin, next});
  ++sink_.statement;
  if (body.begin == body.end) return next;
  if (sink_.text()[begin] == '\t') {
    recipe(body);
  } else {
    plain(body);
  }
  return next;
}

void MakeReader::recipe(Span span) {
  while (span.begin < span.end && std::string_view("@-+").find(sink_.text()[span.begin]) != std::string_view::npos)
    ++span.begin;
  const std::size_t first = sink_.read_piece(span, {Language::shell, sink_.input().kind.roles});
  for (std::size_t i = first; i < sink_.count(); ++i) {
    Site& site = sink_.site(i);
    const bool call = site.span.begin >= 2 && site.context == Context::command_name &&
                      sink_.text().substr(site.span.begin - 2, 2) == "$(" &&
                      sink_.text().substr(site.span.end, 1) == ")";
    if (!call) continue;  // to make, $(NAME) is a variable
    site.kind = SiteKind::variable;
    site.context = Context::read;
    site.span = {site.span.begin - 2, site.span.end + 1};
    site.api = "env:" + site.value;
    site.keyword = site.value;
    site.value.clear();
  }
}

bool MakeReader::conditional(Span body) {
  const std::string_view text = sink_.text(body);
  std::size_t end = 0;
  while (end < text.size() && is_ascii_alpha(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  if (word == "endif") {
    if (!conditions_.empty()) {
      sink_.guards = conditions_.back().first;
      conditions_.pop_back();
    }
    return true;
  }
  if (word == "else") {
    if (!conditions_.empty()) sink_.guards = conditions_.back().first | guard_of_else(conditions_.back().second);
    return true;
  }
  if (word != "ifeq" && word != "ifneq" && word != "ifdef" && word != "ifndef") return false;
  Guard guard = guard_of_condition(text.substr(end), sink_.input().facts) | Guard::option;
  if (word == "ifneq" || word == "ifndef") guard = guard_of_else(guard);
  if (conditions_.size() < 4096) conditions_.push_back({sink_.guards, guard});
  reads(body, {});
  words({body.begin + static_cast<std::uint32_t>(end), body.end}, word, Context::condition);
  sink_.guards |= guard;
  return true;
}

void MakeReader::plain(Span body) {
  const std::string_view text = sink_.text();
  if (text[body.begin] == '#') {
    if (Site* site = sink_.add(body, SiteKind::comment, Context::none)) site->value = std::string(sink_.text(body));
    return;
  }
  if (conditional(body)) return;
  if (!sink_.touched(body)) return;
  for (std::uint32_t i = body.begin; i < body.end; ++i) {
    const bool colon = text[i] == ':' && text.substr(i, 2) != ":=" && text.substr(i, 3) != "::=";
    if (text[i] == '$' && i + 1 < body.end && (text[i + 1] == '(' || text[i + 1] == '{')) {
      while (i < body.end && text[i] != ')' && text[i] != '}') ++i;
    } else if (colon) {
      return rule(body);
    } else if (text[i] == '=') {
      return assignment(body, i);
    }
  }
  words(body, "make", Context::config_value);
}

void MakeReader::assignment(Span body, std::uint32_t cut) {
  const std::string_view text = sink_.text();
  std::uint32_t name_end = cut;
  while (name_end > body.begin && std::string_view(":?+!").find(text[name_end - 1]) != std::string_view::npos)
    --name_end;
  std::string_view name = trim(sink_.text({body.begin, name_end}));
  const bool exported = name.starts_with("export ");
  for (const std::string_view prefix : {"export ", "override ", "define "}) {
    if (name.starts_with(prefix)) name = trim(name.substr(prefix.size()));
  }
  const std::size_t first = sink_.count();
  reads({cut + 1, body.end}, name);
  if (sink_.touched_outside(body, first))
    add_variable(sink_, body, name, trim(sink_.text({cut + 1, body.end})), exported ? Context::exported : Context::set);
}

void MakeReader::rule(Span body) {
  const std::size_t first = sink_.count();
  reads(body, {});
  if (sink_.touched_outside(body, first)) words(body, "rule", Context::definition);
}

/// `$(NAME)` and `${NAME}`.
void MakeReader::reads(Span span, std::string_view target) {
  const std::string_view text = sink_.text();
  for (std::uint32_t i = span.begin; i + 2 < span.end; ++i) {
    if (text[i] != '$' || (text[i + 1] != '(' && text[i + 1] != '{')) continue;
    std::uint32_t end = i + 2;
    while (end < span.end && is_word_byte(text[end])) ++end;
    if (end >= span.end || (text[end] != ')' && text[end] != '}')) continue;
    if (Site* site = add_variable(sink_, {i, end + 1}, text.substr(i + 2, end - i - 2), {}, Context::read))
      site->keyword = std::string(target.empty() ? site->keyword : std::string(target));
    i = end;
  }
}

void MakeReader::words(Span span, std::string_view callee, Context context) {
  if (!sink_.touched(span)) return;
  for (const CommandWord& word : split_words(sink_.text(span), span.begin)) {
    Site* site = sink_.add(word.span, SiteKind::directive, context);
    if (site == nullptr) continue;
    site->callee = std::string(callee);
    site->value = word.value;
  }
}

}  // namespace

void read_make(const ReadInput& input, ReadOutput& output) {
  SiteSink sink(input, output);
  MakeReader(sink).read();
  sink.guards = Guard::none;
  sink.finish(SiteKind::text);
}

}  // namespace accelport
