#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/document.h"
#include "syntax/reader.h"
#include "syntax/sink.h"

namespace accelport {
namespace {

class MarkdownReader {
 public:
  explicit MarkdownReader(SiteSink& sink) : sink_(sink) {}

  void read();

 private:
  std::uint32_t front_matter();
  void read_line(const TextLine& line);
  bool fence(std::string_view body, Span line);
  void end_block();
  void html_comment(Span body);
  Context context_of(std::string_view body) const;

  SiteSink& sink_;
  std::vector<Span> block_;  // lines of the code block that is open
  std::string fence_;        // what opened it: "```"; empty outside
  Language fence_language_ = Language::text;
  bool indented_ = false;  // the open block is an indented one
  bool blank_before_ = true;
  bool in_list_ = false;
  bool in_comment_ = false;
};

/// YAML between two lines of "---" at the top.
std::uint32_t MarkdownReader::front_matter() {
  const std::string_view text = sink_.text();
  if (!text.starts_with("---\n") && !text.starts_with("---\r\n")) return 0;
  const std::size_t close = text.find("\n---", 3);
  if (close == std::string_view::npos) return 0;
  const std::uint32_t begin = line_from(text, 0).next;
  const auto end = static_cast<std::uint32_t>(close + 1);
  if (begin < end) sink_.read_piece({begin, end}, {Language::yaml, sink_.input().kind.roles});
  return line_from(text, end).next;
}

void MarkdownReader::read() {
  for (std::uint32_t at = front_matter(); at < sink_.text().size();) {
    const TextLine line = line_from(sink_.text(), at);
    ++sink_.statement;
    read_line(line);
    at = line.next;
  }
  if (!fence_.empty()) sink_.add_damage();
  end_block();
}

/// The language word of a fence's line: "```python title=x", "```{code-block} bash", "``` {.bash}".
Language language_of_fence(std::string_view info) {
  info = trim(info);
  if (info.starts_with("{code-block}") || info.starts_with("{code}")) info = trim(info.substr(info.find('}') + 1));
  while (!info.empty() && (info.front() == '{' || info.front() == '.' || info.front() == '=')) info.remove_prefix(1);
  std::size_t end = 0;
  while (end < info.size() && (is_word_byte(info[end]) || info[end] == '+' || info[end] == '-')) ++end;
  return language_of_name(info.substr(0, end));
}

bool MarkdownReader::fence(std::string_view body, Span line) {
  if (!fence_.empty()) {
    if (body.starts_with(fence_) && body.find_first_not_of(fence_.front()) == std::string_view::npos) {
      end_block();
      return true;
    }
    block_.push_back(line);
    return true;
  }
  const std::size_t ticks = body.empty() ? 0 : std::min(body.find_first_not_of(body.front()), body.size());
  if (ticks < 3 || (body.front() != '`' && body.front() != '~')) return false;
  if (body.front() == '`' && body.find('`', ticks) != std::string_view::npos) return false;
  end_block();
  fence_ = std::string(body.substr(0, ticks));
  fence_language_ = language_of_fence(body.substr(ticks));
  if (Site* site = sink_.add(trim(sink_.text(), line), SiteKind::prose, Context::other))
    site->value = std::string(body);
  return true;
}

void MarkdownReader::end_block() {
  add_code_block(sink_, block_, fence_language_);
  block_.clear();
  fence_.clear();
  fence_language_ = Language::text;
  indented_ = false;
}

Context MarkdownReader::context_of(std::string_view body) const {
  if (body.front() == '#') return Context::heading;
  if (body.front() == '|' || body.find(" | ") != std::string_view::npos) return Context::table;
  if (body.front() == '[' && body.find("]: ") != std::string_view::npos) return Context::link;
  return Context::none;
}

void MarkdownReader::html_comment(Span body) {
  if (Site* site = sink_.add(body, SiteKind::comment, Context::none))
    site->value = std::string(sink_.text(body).substr(0, 400));
  const std::string_view text = sink_.text(body);
  const std::size_t close = text.rfind("-->");
  const std::size_t open = text.rfind("<!--");
  in_comment_ = close == std::string_view::npos || (open != std::string_view::npos && open > close);
}

void MarkdownReader::read_line(const TextLine& line) {
  const std::string_view text = sink_.text();
  const Span trimmed = trim(text, line.span);
  const std::string_view body = sink_.text(trimmed);
  if (in_comment_) return html_comment(trimmed);
  if (fence(body, line.span)) return;
  if (body.empty()) {
    blank_before_ = true;
    if (indented_) block_.push_back(line.span);
    return;
  }
  const std::string_view raw = sink_.text(line.span);
  const bool deep = indent_of(raw) >= 4 || raw.front() == '\t';
  if (deep && (indented_ || (blank_before_ && !in_list_))) {
    indented_ = true;
    block_.push_back(line.span);
    return;
  }
  if (indented_) end_block();
  blank_before_ = false;
  const bool bullet = body.starts_with("- ") || body.starts_with("* ") || body.starts_with("+ ") ||
                      (is_ascii_digit(body.front()) && body.substr(0, 5).find(". ") != std::string_view::npos);
  if (indent_of(raw) == 0) in_list_ = bullet;
  if (body.starts_with("<!--")) return html_comment(trimmed);
  add_prose_line(sink_, trimmed, context_of(body), "`");
}

}  // namespace

void read_markdown(const ReadInput& input, ReadOutput& output) {
  SiteSink sink(input, output);
  MarkdownReader(sink).read();
  sink.finish(SiteKind::prose);
}

}  // namespace accelport
