#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/command_line.h"
#include "syntax/config_value.h"
#include "syntax/flow_reader.h"
#include "syntax/reader.h"
#include "syntax/sink.h"

namespace accelport {
namespace {

constexpr std::size_t kMaxLevels = 48;

/// Reads YAML by lines and columns, so that text that no YAML parser takes (templates, half an edit) is read as well.
class YamlReader {
 public:
  explicit YamlReader(SiteSink& sink) : sink_(sink), roles_(sink.input().kind.roles) {}

  void read() {
    while (at_ < sink_.text().size()) read_line();
    flush_words();
  }

 private:
  struct Level {
    std::uint32_t column;
    bool item;
    Span key;
  };

  void read_line();
  void read_node(std::uint32_t line_begin, Span body);
  void read_items(std::uint32_t line_begin, Span& body);
  bool read_key(std::uint32_t line_begin, Span& body);
  void read_value(std::uint32_t column, Span body);
  void read_plain(Span body);
  void read_quoted(Span body);
  void read_block(std::uint32_t column, Span header);
  void block_lines(Span block, bool folded);
  void folded_script(Span block);
  void scalar(Span raw, Span inner, bool escapes);
  void comment(Span span);
  void skip_tags(Span& body) const;
  std::uint32_t comment_start(Span body) const;
  std::uint32_t key_end(Span body) const;
  std::uint32_t quote_end(std::uint32_t begin, std::uint32_t end) const;
  std::string value_of_key(Span rest) const;
  void push(std::uint32_t column, bool item, Span key);
  bool in_arguments() const;
  std::string path() const;
  void flush_words();

  SiteSink& sink_;
  FileRole roles_;
  std::uint32_t at_ = 0;
  std::vector<Level> levels_;
  std::vector<CommandWord> words_;  // items of a list that is a command
};

void YamlReader::read_line() {
  const std::string_view text = sink_.text();
  const TextLine line = line_from(text, at_);
  at_ = line.next;
  ++sink_.statement;
  Span body = trim(text, line.span);
  if (body.begin == body.end) return;
  if (text[body.begin] == '#') return comment(body);
  if (body.begin == line.span.begin && (sink_.text(body).starts_with("---") || sink_.text(body) == "...")) {
    flush_words();
    levels_.clear();
    if (body.size() < 5) return;
    body = trim(text, {body.begin + 3, body.end});
  }
  read_node(line.span.begin, body);
}

void YamlReader::read_node(std::uint32_t line_begin, Span body) {
  read_items(line_begin, body);
  if (body.begin >= body.end) return;
  const std::uint32_t column = body.begin - line_begin;
  if (read_key(line_begin, body)) {
    read_value(column, body);
  } else {
    read_value(levels_.empty() ? 0 : levels_.back().column, body);
  }
}

/// Takes the dashes in front of a node.
void YamlReader::read_items(std::uint32_t line_begin, Span& body) {
  const std::string_view text = sink_.text();
  while (body.begin < body.end && text[body.begin] == '-' &&
         (body.begin + 1 == body.end || text[body.begin + 1] == ' ' || text[body.begin + 1] == '\t')) {
    const std::uint32_t column = body.begin - line_begin;
    while (!levels_.empty() &&
           (levels_.back().column > column || (levels_.back().column == column && levels_.back().item)))
      levels_.pop_back();
    push(column, true, {});
    body = trim(text, {body.begin + 1, body.end});
  }
}

bool YamlReader::read_key(std::uint32_t line_begin, Span& body) {
  Span start = body;
  skip_tags(start);
  if (start.begin >= start.end) return false;
  const std::uint32_t colon = key_end(start);
  if (colon == 0) return false;
  const std::uint32_t column = body.begin - line_begin;
  while (!levels_.empty() && levels_.back().column >= column) levels_.pop_back();
  const Span key = trim(sink_.text(), {start.begin, colon});
  push(column, false, key);
  body = trim(sink_.text(), {colon + 1, body.end});
  if (sink_.touched(key)) {
    flush_words();
    add_config_key(sink_, key, path(), value_of_key(body));
  }
  return true;
}

void YamlReader::push(std::uint32_t column, bool item, Span key) {
  if (levels_.size() < kMaxLevels) levels_.push_back({column, item, key});
}

/// Where the colon behind the key stands; 0 if the line has no key.
std::uint32_t YamlReader::key_end(Span body) const {
  const std::string_view text = sink_.text();
  const char first = text[body.begin];
  std::uint32_t i = body.begin;
  if (first == '"' || first == '\'') {
    i = quote_end(body.begin, body.end);
    if (i == 0) return 0;
    while (i < body.end && text[i] == ' ') ++i;
    return i < body.end && text[i] == ':' && (i + 1 == body.end || is_ascii_space(text[i + 1])) ? i : 0;
  }
  if (first == '{' && text.substr(body.begin, 2) != "{{") return 0;
  if (first == '[' || first == '|' || first == '>' || first == '%' || first == '@') return 0;
  for (; i < body.end; ++i) {
    if (text[i] == ':' && (i + 1 == body.end || is_ascii_space(text[i + 1]))) return i;
    if (text[i] == '#' && i > body.begin && is_ascii_space(text[i - 1])) return 0;
  }
  return 0;
}

std::uint32_t YamlReader::quote_end(std::uint32_t begin, std::uint32_t end) const {
  const std::string_view text = sink_.text();
  const char quote = text[begin];
  for (std::uint32_t i = begin + 1; i < end; ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || i + 1 >= end || text[i + 1] != '\'') return i + 1;
      ++i;
    }
  }
  return 0;
}

/// Anchors and tags in front of a node.
void YamlReader::skip_tags(Span& body) const {
  const std::string_view text = sink_.text();
  while (body.begin < body.end && (text[body.begin] == '&' || text[body.begin] == '!')) {
    std::uint32_t end = body.begin;
    while (end < body.end && !is_ascii_space(text[end])) ++end;
    body = trim(text, {end, body.end});
  }
}

std::uint32_t YamlReader::comment_start(Span body) const {
  const std::string_view text = sink_.text();
  for (std::uint32_t i = body.begin; i < body.end; ++i) {
    if (text[i] == '#' && (i == body.begin || is_ascii_space(text[i - 1]))) return i;
  }
  return body.end;
}

std::string YamlReader::value_of_key(Span rest) const {
  skip_tags(rest);
  if (rest.begin >= rest.end) return {};
  const char first = sink_.text()[rest.begin];
  if (first == '{' || first == '[' || first == '|' || first == '>') return {};
  if (first == '"' || first == '\'') {
    const std::uint32_t end = quote_end(rest.begin, rest.end);
    if (end != 0) return std::string(sink_.text({rest.begin + 1, end - 1}));
  }
  return std::string(sink_.text(trim(sink_.text(), {rest.begin, comment_start(rest)})).substr(0, 400));
}

void YamlReader::read_value(std::uint32_t column, Span body) {
  skip_tags(body);
  if (body.begin >= body.end) return;
  const std::string_view text = sink_.text();
  const char first = text[body.begin];
  if (first == '#') return comment(body);
  if (first == '|' || first == '>') return read_block(column, body);
  if (first == '"' || first == '\'') return read_quoted(body);
  if ((first == '{' && text.substr(body.begin, 2) != "{{") || first == '[') {
    flush_words();
    const std::uint32_t end = FlowReader(sink_, FlowReader::Style::yaml, path())
                                  .read_value(body.begin, static_cast<std::uint32_t>(text.size()));
    const TextLine rest = line_from(text, std::min<std::uint32_t>(end, static_cast<std::uint32_t>(text.size())));
    at_ = rest.next;
    const Span tail = trim(text, rest.span);
    if (tail.begin < tail.end && text[tail.begin] == '#') comment(tail);
    return;
  }
  read_plain(body);
}

void YamlReader::read_plain(Span body) {
  const std::uint32_t hash = comment_start(body);
  const Span value = trim(sink_.text(), {body.begin, hash});
  scalar(value, value, false);
  if (hash < body.end) comment({hash, body.end});
}

/// Quoted scalars may run over lines.
void YamlReader::read_quoted(Span body) {
  const std::string_view text = sink_.text();
  std::uint32_t end = quote_end(body.begin, body.end);
  if (end == 0) {
    end = quote_end(body.begin, static_cast<std::uint32_t>(std::min<std::size_t>(text.size(), body.begin + 65536)));
    if (end == 0) {
      sink_.add_damage();
      return read_plain(body);
    }
    at_ = line_from(text, end - 1).next;
  }
  scalar({body.begin, end}, {body.begin + 1, end - 1}, text[body.begin] == '"');
  const Span rest = trim(text, {end, line_from(text, end).span.end});
  if (rest.begin < rest.end && text[rest.begin] == '#') comment(rest);
}

void YamlReader::scalar(Span raw, Span inner, bool escapes) {
  const std::string where = sink_.touched(raw) || in_arguments() ? path() : std::string();
  if (where.ends_with("[]") && is_arguments_path(where, roles_) &&
      sink_.text(inner).find(' ') == std::string_view::npos) {
    words_.push_back({inner, std::string(sink_.text(inner))});
    return;
  }
  flush_words();
  if (!sink_.touched(raw)) return;
  if (is_script_path(where, roles_)) {
    const std::size_t first = sink_.read_piece(inner, {Language::shell, roles_});
    for (std::size_t i = first; i < sink_.count(); ++i) {
      if (sink_.site(i).keyword.empty()) sink_.site(i).keyword = where;
    }
    return;
  }
  add_config_value(sink_, raw, where, escapes ? unescape_json(sink_.text(inner)) : std::string(sink_.text(inner)));
}

/// `|` or `>`: all lines that are indented more than `column`.
void YamlReader::read_block(std::uint32_t column, Span header) {
  flush_words();
  const std::string_view text = sink_.text();
  const std::uint32_t hash = comment_start(header);
  if (hash < header.end) comment({hash, header.end});
  const std::uint32_t begin = at_;
  const std::uint32_t parent = levels_.empty() ? 0 : column + 1;
  std::uint32_t end = at_;
  while (at_ < text.size()) {
    const TextLine line = line_from(text, at_);
    const std::string_view body = sink_.text(line.span);
    const std::uint32_t indent = indent_of(body);
    if (indent < body.size() && indent < parent) break;
    at_ = line.next;
    if (indent < body.size()) end = line.span.end;
  }
  block_lines({begin, end}, text[header.begin] == '>');
}

void YamlReader::block_lines(Span block, bool folded) {
  if (block.begin >= block.end || !sink_.touched(block)) return;
  const std::string where = path();
  const std::string_view key = last_key(where);
  const TextLine after =
      line_from(sink_.text(), std::min<std::uint32_t>(at_, static_cast<std::uint32_t>(sink_.text().size())));
  FileKind kind{Language::text, roles_};
  if (is_script_path(where, roles_))
    kind.language =
        sink_.text(after.span).find("shell: python") == std::string_view::npos ? Language::shell : Language::python;
  else if (key.ends_with("py") || key.ends_with("sh") || key.ends_with("json") || key.ends_with("yaml"))
    kind.language = language_of_name(key.ends_with("json") ? "json" : key.substr(key.size() - 2));
  if (sink_.text(block).find("#!/") != std::string_view::npos && kind.language == Language::text)
    kind.language = Language::shell;
  if (kind.language == Language::shell && folded) return folded_script(block);
  if (kind.language != Language::text) {
    sink_.read_piece(block, kind);
    return;
  }
  for (std::uint32_t at = block.begin; at < block.end;) {
    const TextLine line = line_from(sink_.text().substr(0, block.end), at);
    const Span body = trim(sink_.text(), line.span);
    if (sink_.touched(body)) add_config_value(sink_, body, where, sink_.text(body));
    at = line.next;
  }
}

/// `>` makes one line of all: the command goes on.
void YamlReader::folded_script(Span block) {
  PieceBuilder piece;
  for (std::uint32_t at = block.begin; at < block.end;) {
    const TextLine line = line_from(sink_.text().substr(0, block.end), at);
    const Span body = trim(sink_.text(), line.span);
    piece.copy(sink_.text(body), body.begin);
    piece.put(body.begin == body.end ? "\n" : " ", body.end, 0);
    at = line.next;
  }
  sink_.read_piece(piece, {Language::shell, roles_});
}

void YamlReader::comment(Span span) {
  if (Site* site = sink_.add(span, SiteKind::comment, Context::none)) site->value = std::string(sink_.text(span));
}

/// True in the items of `command:` and the like, whose words belong together.
bool YamlReader::in_arguments() const {
  if (levels_.size() < 2 || !levels_.back().item) return false;
  return is_arguments_path(sink_.text(levels_[levels_.size() - 2].key), roles_);
}

std::string YamlReader::path() const {
  std::string out;
  for (const Level& level : levels_) {
    if (!out.empty()) out += '.';
    out += level.item ? std::string_view("[]") : without_quotes(sink_.text(level.key)).substr(0, 120);
  }
  return out;
}

void YamlReader::flush_words() {
  if (words_.empty()) return;
  const Span all{words_.front().span.begin, words_.back().span.end};
  if (sink_.touched(all)) CommandLine(sink_, std::move(words_)).emit();
  words_.clear();
}

}  // namespace

void read_yaml(const ReadInput& input, ReadOutput& output) {
  SiteSink sink(input, output);
  YamlReader(sink).read();
  sink.finish(SiteKind::text);
}

}  // namespace accelport
