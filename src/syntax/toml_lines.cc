#include <algorithm>
#include <string>
#include <string_view>

#include "syntax/config_value.h"
#include "syntax/flow_reader.h"
#include "syntax/reader.h"
#include "syntax/sink.h"

namespace accelport {
namespace {

/// `"a" . b` → `a.b`.
std::string plain_key(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != '"' && c != '\'' && !is_ascii_space(c)) out += c;
  }
  return out;
}

/// TOML by lines: enough to tell every key, value and comment apart; values that are not well formed are taken as they
/// stand.
class TomlReader {
 public:
  explicit TomlReader(SiteSink& sink) : sink_(sink) {}

  void read() {
    std::uint32_t at = 0;
    while (at < sink_.text().size()) at = read_line(at);
  }

 private:
  std::uint32_t read_line(std::uint32_t begin);
  void header(Span body);
  std::uint32_t pair(Span body, std::uint32_t next);
  std::uint32_t long_string(std::uint32_t begin, const std::string& path);
  void scalar(Span body, const std::string& path);
  void comment(Span span);
  std::uint32_t value_end(Span body) const;

  SiteSink& sink_;
  std::string section_;
};

std::uint32_t TomlReader::read_line(std::uint32_t begin) {
  const TextLine line = line_from(sink_.text(), begin);
  const Span body = trim(sink_.text(), line.span);
  ++sink_.statement;
  if (body.begin == body.end) return line.next;
  const char first = sink_.text()[body.begin];
  if (first == '#') {
    comment(body);
  } else if (first == '[') {
    header(body);
  } else {
    return pair(body, line.next);
  }
  return line.next;
}

void TomlReader::header(Span body) {
  std::string_view text = sink_.text(body);
  const std::size_t close = text.find(']');
  const std::string_view name = trim(text.substr(0, close));
  section_ = plain_key(name.substr(std::min(name.find_first_not_of('['), name.size())));
  const std::size_t hash = text.find('#', std::min(close, text.size()));
  const std::uint32_t end = hash == std::string_view::npos ? body.end : body.begin + static_cast<std::uint32_t>(hash);
  if (Site* site = sink_.add(trim(sink_.text(), {body.begin, end}), SiteKind::entry, Context::config_key)) {
    site->keyword = section_;
    site->value = section_;
  }
  if (end < body.end) comment({end, body.end});
}

std::uint32_t TomlReader::pair(Span body, std::uint32_t next) {
  const std::string_view text = sink_.text();
  std::uint32_t equals = body.begin;
  char quote = 0;
  for (; equals < body.end && (quote != 0 || text[equals] != '='); ++equals) {
    if (text[equals] == quote) {
      quote = 0;
    } else if (quote == 0 && (text[equals] == '"' || text[equals] == '\'')) {
      quote = text[equals];
    }
  }
  if (equals >= body.end) {
    sink_.add_damage();
    return next;
  }
  const Span key = trim(text, {body.begin, equals});
  const Span value = trim(text, {equals + 1, body.end});
  const std::string path = (section_.empty() ? "" : section_ + ".") + plain_key(sink_.text(key).substr(0, 300));
  if (sink_.touched(key)) add_config_key(sink_, key, path, without_quotes(sink_.text({value.begin, value_end(value)})));
  const char first = value.begin < value.end ? text[value.begin] : '\0';
  if (first == '[' || first == '{') {
    const std::uint32_t end = FlowReader(sink_, FlowReader::Style::toml, path)
                                  .read_value(value.begin, static_cast<std::uint32_t>(text.size()));
    const TextLine rest = line_from(text, std::min<std::uint32_t>(end, static_cast<std::uint32_t>(text.size())));
    comment(trim(text, rest.span));
    return rest.next;
  }
  if (text.substr(value.begin, 3) == "\"\"\"" || text.substr(value.begin, 3) == "'''")
    return long_string(value.begin, path);
  scalar(value, path);
  return next;
}

std::uint32_t TomlReader::value_end(Span body) const {
  const std::string_view text = sink_.text();
  std::uint32_t i = body.begin;
  if (i < body.end && (text[i] == '"' || text[i] == '\'')) {
    const char quote = text[i];
    for (++i; i < body.end && text[i] != quote; ++i) {
      if (text[i] == '\\' && quote == '"') ++i;
    }
    return std::min(i + 1, body.end);
  }
  while (i < body.end && text[i] != '#') ++i;
  return trim(text, {body.begin, i}).end;
}

void TomlReader::scalar(Span body, const std::string& path) {
  if (!sink_.touched(body)) return;
  const std::uint32_t end = value_end(body);
  const std::string_view raw = sink_.text({body.begin, end});
  add_config_value(sink_, {body.begin, end}, path,
                   raw.starts_with('"') ? unescape_json(without_quotes(raw)) : std::string(without_quotes(raw)));
  comment(trim(sink_.text(), {end, body.end}));
}

/// A string over several lines: one site per line.
std::uint32_t TomlReader::long_string(std::uint32_t begin, const std::string& path) {
  const std::string_view text = sink_.text();
  const std::size_t close = text.find(text.substr(begin, 3), begin + 3);
  if (close == std::string_view::npos) sink_.add_damage();
  const std::uint32_t end =
      close == std::string_view::npos ? line_from(text, begin).span.end : static_cast<std::uint32_t>(close);
  if (is_script_path(path, sink_.input().kind.roles)) {
    sink_.read_piece({std::min(begin + 3, end), end}, {Language::shell, sink_.input().kind.roles});
  } else {
    for (std::uint32_t at = begin; at < end;) {
      const TextLine line = line_from(text.substr(0, end), at);
      if (sink_.touched(line.span)) add_config_value(sink_, trim(text, line.span), path, trim(sink_.text(line.span)));
      at = line.next;
    }
  }
  return line_from(text, end).next;
}

void TomlReader::comment(Span span) {
  if (span.begin >= span.end || sink_.text()[span.begin] != '#') return;
  if (Site* site = sink_.add(span, SiteKind::comment, Context::none)) site->value = std::string(sink_.text(span));
}

}  // namespace

void read_toml(const ReadInput& input, ReadOutput& output) {
  SiteSink sink(input, output);
  TomlReader(sink).read();
  sink.finish(SiteKind::text);
}

}  // namespace accelport
