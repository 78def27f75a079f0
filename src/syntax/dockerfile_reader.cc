#include <string>
#include <string_view>
#include <vector>

#include "syntax/command_line.h"
#include "syntax/dockerfile_lines.h"
#include "syntax/reader.h"
#include "syntax/sink.h"

namespace accelport {
namespace {

bool is_blank_or_comment(std::string_view line) {
  const std::string_view rest = trim(line);
  return rest.empty() || rest.front() == '#';
}

class DockerfileReader {
 public:
  explicit DockerfileReader(SiteSink& sink) : sink_(sink) {}

  void read() {
    std::uint32_t at = 0;
    while (at < sink_.text().size()) at = read_instruction(at);
  }

 private:
  std::uint32_t read_instruction(std::uint32_t begin);
  std::uint32_t end_of_instruction(std::uint32_t begin);
  void comment(Span line);
  void dispatch(const std::string& name, Span body);
  void from(Span body);
  void arg(Span body);
  void env(Span body, Context context);
  void label(Span body);
  void run(Span body);
  bool exec_form(Span body);
  void other(const std::string& name, Span body);
  std::vector<CommandWord> words(Span body) const;

  SiteSink& sink_;
};

std::uint32_t DockerfileReader::read_instruction(std::uint32_t begin) {
  const TextLine line = line_from(sink_.text(), begin);
  if (is_blank_or_comment(sink_.text(line.span))) {
    comment(line.span);
    return line.next;
  }
  const std::uint32_t next = end_of_instruction(begin);
  const Span all = trim(sink_.text(), {begin, next});
  ++sink_.statement;
  if (!sink_.touched(all)) return next;
  std::uint32_t name_end = all.begin;
  while (name_end < all.end && is_ascii_alpha(sink_.text()[name_end])) ++name_end;
  dispatch(ascii_lower(sink_.text({all.begin, name_end})), trim(sink_.text(), {name_end, all.end}));
  return next;
}

std::uint32_t DockerfileReader::end_of_instruction(std::uint32_t begin) {
  bool open = false;
  const std::uint32_t end = end_of_docker_instruction(sink_.text(), begin, open);
  if (open) sink_.add_damage();
  return end;
}

void DockerfileReader::comment(Span line) {
  const Span span = trim(sink_.text(), line);
  if (Site* site = sink_.add(span, SiteKind::comment, Context::none)) site->value = std::string(sink_.text(span));
}

void DockerfileReader::dispatch(const std::string& name, Span body) {
  if (name == "onbuild") {
    std::uint32_t end = body.begin;
    while (end < body.end && is_ascii_alpha(sink_.text()[end])) ++end;
    const std::string inner = ascii_lower(sink_.text({body.begin, end}));
    if (inner != "onbuild") return dispatch(inner, trim(sink_.text(), {end, body.end}));
  }
  if (name == "from") return from(body);
  if (name == "arg") return arg(body);
  if (name == "env") return env(body, Context::exported);
  if (name == "label" || name == "maintainer") return label(body);
  if (name == "run" || name == "cmd" || name == "entrypoint" || name == "healthcheck" || name == "shell")
    return run(body);
  other(name, body);
}

/// Words of the body; line ends with a backslash separate.
std::vector<CommandWord> DockerfileReader::words(Span body) const {
  std::vector<CommandWord> all = split_words(sink_.text(body), body.begin);
  std::erase_if(all, [](const CommandWord& word) { return word.value == "\\" || word.value.empty(); });
  return all;
}

void DockerfileReader::from(Span body) {
  std::string stage;
  const std::vector<CommandWord> all = words(body);
  if (all.size() >= 3 && ascii_lower(all[all.size() - 2].value) == "as") stage = all.back().value;
  bool image_seen = false;
  for (const CommandWord& word : all) {
    const bool option = word.value.starts_with("--");
    Site* site = sink_.add(word.span, SiteKind::directive,
                           option       ? Context::command_option
                           : image_seen ? Context::definition
                                        : Context::config_value);
    const bool image = !option && !image_seen;
    image_seen |= image;
    if (site == nullptr) continue;
    site->callee = "FROM";
    site->value = word.value;
    site->keyword = image ? stage : std::string();
    if (image) site->api = "image:" + word.value;
  }
}

void DockerfileReader::arg(Span body) {
  for (const CommandWord& word : words(body)) {
    const std::size_t equals = std::min(word.value.find('='), word.value.size());
    const std::string_view value = word.value;
    if (Site* site = add_variable(sink_, word.span, value.substr(0, equals),
                                  value.substr(std::min(equals + 1, value.size())), Context::set))
      site->callee = "ARG";
  }
}

void DockerfileReader::env(Span body, Context context) {
  const std::vector<CommandWord> all = words(body);
  std::size_t name_size = 0;
  if (!all.empty() && !is_assignment(all.front().value, name_size)) {  // ENV NAME value
    const std::uint32_t value_begin = all.size() > 1 ? all[1].span.begin : body.end;
    if (Site* site = add_variable(sink_, body, all.front().value, sink_.text({value_begin, body.end}), context))
      site->callee = "ENV";
    return;
  }
  for (const CommandWord& word : all) {
    const std::string_view value = word.value;
    const std::size_t equals = std::min(value.find('='), value.size());
    if (Site* site = add_variable(sink_, word.span, value.substr(0, equals),
                                  value.substr(std::min(equals + 1, value.size())), context))
      site->callee = "ENV";
  }
}

void DockerfileReader::label(Span body) {
  for (const CommandWord& word : words(body)) {
    Site* site = sink_.add(word.span, SiteKind::directive, Context::config_value);
    if (site == nullptr) continue;
    const std::size_t equals = word.value.find('=');
    site->callee = "LABEL";
    site->keyword = word.value.substr(0, std::min(equals, word.value.size()));
    site->value = equals == std::string::npos ? word.value : word.value.substr(equals + 1);
  }
}

void DockerfileReader::run(Span body) {
  const std::string_view text = sink_.text();
  while (text.substr(body.begin, 2) == "--") {  // RUN --mount=…
    std::uint32_t end = body.begin;
    while (end < body.end && !is_ascii_space(text[end])) ++end;
    if (Site* site = sink_.add({body.begin, end}, SiteKind::directive, Context::command_option)) {
      site->callee = "RUN";
      site->value = std::string(text.substr(body.begin, end - body.begin));
    }
    body = trim(text, {end, body.end});
  }
  if (starts_with_ignoring_case(sink_.text(body), "CMD ")) body = trim(text, {body.begin + 4, body.end});
  if (text.substr(body.begin, 1) == "[" && exec_form(body)) return;
  sink_.read_piece(body, {Language::shell, sink_.input().kind.roles});
}

/// ["program", "--option", "value"]
bool DockerfileReader::exec_form(Span body) {
  const std::string_view text = sink_.text();
  std::vector<CommandWord> all;
  for (std::uint32_t i = body.begin + 1; i < body.end; ++i) {
    if (text[i] != '"') continue;
    const std::uint32_t begin = i + 1;
    for (++i; i < body.end && text[i] != '"'; ++i) {
      if (text[i] == '\\') ++i;
    }
    if (i >= body.end) return false;
    all.push_back({{begin, i}, std::string(text.substr(begin, i - begin))});
  }
  if (all.empty()) return false;
  if (all.size() == 3 && all[1].value == "-c") {
    sink_.read_piece(all[2].span, {Language::shell, sink_.input().kind.roles});
    return true;
  }
  CommandLine(sink_, std::move(all)).emit();
  return true;
}

void DockerfileReader::other(const std::string& name, Span body) {
  for (const CommandWord& word : words(body)) {
    Site* site = sink_.add(word.span, SiteKind::directive,
                           word.value.starts_with("--") ? Context::command_option : Context::config_value);
    if (site == nullptr) continue;
    for (const char c : name) site->callee += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    site->value = word.value;
    site->flows |= Flow::path;
    if (word.value.starts_with("--")) {
      const std::size_t equals = std::min(word.value.find('='), word.value.size());
      site->keyword = word.value.substr(0, equals);
      site->value = word.value.substr(std::min(equals + 1, word.value.size()));
      if (site->keyword == "--from") site->api = "image:" + site->value;
    }
  }
}

}  // namespace

void read_dockerfile(const ReadInput& input, ReadOutput& output) {
  SiteSink sink(input, output);
  DockerfileReader(sink).read();
  sink.finish(SiteKind::text);
}

}  // namespace accelport
