#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/document.h"
#include "syntax/reader.h"
#include "syntax/sink.h"

namespace accelport {
namespace {

bool is_underline(std::string_view line) {
  return line.size() >= 3 && std::string_view("=-~^\"'`#*+:._").find(line.front()) != std::string_view::npos &&
         line.find_first_not_of(line.front()) == std::string_view::npos;
}

class RstReader {
 public:
  explicit RstReader(SiteSink& sink) : sink_(sink) {}

  void read();

 private:
  void read_line(const TextLine& line);
  bool directive(std::string_view body, Span line);
  void open_block(std::uint32_t indent, Language language);
  void end_block();
  Context context_of(std::string_view body, const TextLine& line) const;

  SiteSink& sink_;
  std::vector<Span> block_;
  bool open_ = false;     // lines indented more than `indent_` belong to the block
  bool comment_ = false;  // … and are a comment
  std::uint32_t indent_ = 0;
  Language language_ = Language::text;
};

void RstReader::read() {
  for_each_line(sink_.text(), [&](const TextLine& line) {
    ++sink_.statement;
    read_line(line);
  });
  end_block();
}

void RstReader::open_block(std::uint32_t indent, Language language) {
  end_block();
  open_ = true;
  indent_ = indent;
  language_ = language;
}

void RstReader::end_block() {
  if (comment_) {
    for (const Span line : block_) {
      const Span body = trim(sink_.text(), line);
      if (Site* site = sink_.add(body, SiteKind::comment, Context::none)) site->value = std::string(sink_.text(body));
    }
  } else {
    add_code_block(sink_, block_, language_);
  }
  block_.clear();
  open_ = comment_ = false;
  language_ = Language::text;
}

/// `.. code-block:: bash`, `.. image:: …`, `.. comment`.
bool RstReader::directive(std::string_view body, Span line) {
  if (!body.starts_with(".. ") && body != "..") return false;
  const std::uint32_t indent = indent_of(sink_.text(line));
  const std::size_t mark = body.find("::");
  const std::string_view name = trim(body.substr(2, mark == std::string_view::npos ? body.size() : mark - 2));
  const std::string_view rest = mark == std::string_view::npos ? std::string_view() : trim(body.substr(mark + 2));
  const Span span = trim(sink_.text(), line);
  if (name == "code-block" || name == "code" || name == "sourcecode" || name == "prompt" || name == "parsed-literal" ||
      name == "testcode" || name == "doctest" || name == "ipython" || name == "highlight") {
    Language language = language_of_name(rest.substr(0, rest.find(' ')));
    if (name == "testcode" || name == "ipython" || name == "doctest") language = Language::python;
    if (Site* site = sink_.add(span, SiteKind::prose, Context::other)) site->value = std::string(body);
    open_block(indent, language);
    return true;
  }
  const bool target = name.starts_with("_") || name.starts_with("|") || name.starts_with("[");
  if (mark == std::string_view::npos && !target) {
    open_block(indent, Language::text);
    comment_ = true;
    block_.push_back(line);
    return true;
  }
  add_prose_line(sink_, span, target ? Context::link : Context::other, "``");
  return true;
}

Context RstReader::context_of(std::string_view body, const TextLine& line) const {
  if (body.front() == '|' || body.front() == '+') return Context::table;
  if (line.next < sink_.text().size()) {
    const std::string_view below = trim(sink_.text(line_from(sink_.text(), line.next).span));
    if (is_underline(below) && below.size() + 4 >= body.size()) return Context::heading;
  }
  return Context::none;
}

void RstReader::read_line(const TextLine& line) {
  const std::string_view raw = sink_.text(line.span);
  const Span trimmed = trim(sink_.text(), line.span);
  const std::string_view body = sink_.text(trimmed);
  if (open_) {
    if (body.empty() || indent_of(raw) > indent_) {
      const bool option = block_.empty() && body.starts_with(":");
      if (!option) block_.push_back(line.span);
      return;
    }
    end_block();
  }
  if (body.empty() || directive(body, line.span)) return;
  if (body.starts_with(">>>")) {
    open_block(indent_of(raw) == 0 ? 0 : indent_of(raw) - 1, Language::python);
    open_ = indent_of(raw) > 0;
    block_.push_back(line.span);
    if (!open_) end_block();
    return;
  }
  add_prose_line(sink_, trimmed, context_of(body, line), "``");
  if (body.ends_with("::")) open_block(indent_of(raw), Language::text);
}

}  // namespace

void read_rst(const ReadInput& input, ReadOutput& output) {
  SiteSink sink(input, output);
  RstReader(sink).read();
  sink.finish(SiteKind::prose);
}

}  // namespace accelport
