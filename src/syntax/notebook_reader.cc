#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/command_line.h"
#include "syntax/listed.h"
#include "syntax/notebook_json.h"
#include "syntax/reader.h"
#include "syntax/sink.h"

namespace accelport {
namespace {

constexpr std::string_view kShellCells[] = {"bash", "sh", "script", "shell", "system", "sx", "!", "cmd", "zsh"};
constexpr std::string_view kTimers[] = {"time", "timeit", "prun", "memit", "lprun", "mprun", "capture"};
constexpr std::string_view kTextCells[] = {"html", "HTML", "javascript", "js",  "latex", "svg",
                                           "SVG",  "ruby", "perl",       "sql", "R"};
constexpr std::string_view kDeviceCells[] = {"cu", "cuda", "cpp", "c", "nvcc", "cpp17"};

/// Brackets and strings that are open at the end of a line of Python: there no magic can start.
class OpenState {
 public:
  void feed(std::string_view line);
  bool closed() const { return depth_ == 0 && quote_.empty() && !continued_; }
  bool broken() const { return broken_; }

 private:
  int depth_ = 0;
  std::string_view quote_;
  bool continued_ = false;
  bool broken_ = false;
};

void OpenState::feed(std::string_view line) {
  std::size_t i = 0;
  continued_ = line.ends_with('\\');
  while (i < line.size()) {
    const char c = line[i];
    if (!quote_.empty()) {
      if (c == '\\') {
        i += 2;
      } else if (line.substr(i, quote_.size()) == quote_) {
        i += quote_.size();
        quote_ = {};
      } else {
        ++i;
      }
      continue;
    }
    if (c == '#') break;
    if (c == '"' || c == '\'') {
      const std::string_view three = c == '"' ? "\"\"\"" : "'''";
      quote_ = line.substr(i, 3) == three ? three : three.substr(0, 1);
      i += quote_.size();
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if (c == ')' || c == ']' || c == '}') --depth_;
    if (depth_ < 0) broken_ = true, depth_ = 0;
    ++i;
  }
  if (quote_.size() == 1 && !continued_) quote_ = {}, broken_ = true;
}

class NotebookReader {
 public:
  explicit NotebookReader(SiteSink& sink) : sink_(sink) {}

  void read();

 private:
  struct Cell {
    NotebookCell json;
    PieceBuilder text;
    LineTable lines{std::string_view()};
  };

  void read_cell(Cell& cell);
  void code_cell(Cell& cell);
  bool cell_magic(Cell& cell, const TextLine& first);
  void python_lines(Cell& cell, std::uint32_t begin);
  bool magic_line(Cell& cell, Span line, PieceBuilder& python);
  void assignment_magic(Cell& cell, Span line, std::uint32_t mark, PieceBuilder& python);
  void line_magic(Cell& cell, Span line, std::uint32_t mark, PieceBuilder& python);
  void environment(Cell& cell, Span rest);
  void read_part(Cell& cell, Span inner, Language language);
  void outputs(const Cell& cell);
  void locate();
  void placeholder(PieceBuilder& python, std::string_view text, const Cell& cell, std::uint32_t at);

  SiteSink& sink_;
  std::vector<Cell> cells_;
  PieceBuilder joined_;  // Python of all cells, so that imports of one hold in the next
};

void NotebookReader::read() {
  for (NotebookCell& json : find_cells(sink_.text(), sink_.output().damage)) {
    Cell& cell = cells_.emplace_back();
    cell.json = std::move(json);
    cell.text = cell_source(sink_.text(), cell.json);
    cell.lines = LineTable(cell.text.view());
  }
  for (Cell& cell : cells_) read_cell(cell);
  sink_.read_piece(joined_, {Language::python, sink_.input().kind.roles});
  locate();
}

void NotebookReader::read_cell(Cell& cell) {
  ++sink_.statement;
  const std::uint32_t size = cell.text.size();
  if (cell.json.type == "markdown" || cell.json.type == "heading") {
    read_part(cell, {0, size}, Language::markdown);
  } else if (cell.json.type == "raw") {
    read_part(cell, {0, size}, Language::text);
  } else {
    code_cell(cell);
  }
  outputs(cell);
}

void NotebookReader::read_part(Cell& cell, Span inner, Language language) {
  PieceBuilder part;
  part.append(cell.text, inner);
  sink_.read_piece(part, {language, sink_.input().kind.roles});
}

void NotebookReader::code_cell(Cell& cell) {
  const std::string_view text = cell.text.view();
  std::uint32_t at = 0;
  while (at < text.size()) {
    const TextLine line = line_from(text, at);
    if (!trim(slice(text, line.span)).empty()) {
      if (trim(slice(text, line.span)).starts_with("%%") && cell_magic(cell, line)) return;
      break;
    }
    at = line.next;
  }
  python_lines(cell, 0);
}

/// `%%bash` and the like: the whole cell is another language. False if the rest is Python after all.
bool NotebookReader::cell_magic(Cell& cell, const TextLine& first) {
  const std::string_view text = cell.text.view();
  const Span head = trim(text, first.span);
  const std::vector<CommandWord> words = split_words(slice(text, {head.begin + 2, head.end}), head.begin + 2);
  if (words.empty()) return false;
  const std::string& name = words.front().value;
  const Span rest{first.next, static_cast<std::uint32_t>(text.size())};
  if (listed(name, kTimers)) {
    python_lines(cell, first.next);
  } else if (listed(name, kShellCells)) {
    read_part(cell, rest, Language::shell);
  } else if (listed(name, kTextCells)) {
    read_part(cell, rest, Language::text);
  } else if (listed(name, kDeviceCells)) {
    read_part(cell, rest, Language::cxx);
  } else if (name == "markdown") {
    read_part(cell, rest, Language::markdown);
  } else if (name == "writefile" || name == "file") {
    read_part(cell, rest, file_kind(words.back().value, slice(text, rest)).language);
  } else {
    python_lines(cell, first.next);
  }
  read_part(cell, {head.begin + 2, head.end}, Language::shell);
  return true;
}

/// Copies the cell's Python to the joined text, or reads it alone if it would spoil the cells behind it.
void NotebookReader::python_lines(Cell& cell, std::uint32_t begin) {
  const std::string_view text = cell.text.view();
  PieceBuilder python;
  OpenState state;
  for (std::uint32_t at = begin; at < text.size();) {
    TextLine line = line_from(text, at);
    const std::string_view start = trim(slice(text, line.span));
    while (state.closed() && (start.starts_with('!') || start.starts_with('%')) &&
           slice(text, line.span).ends_with('\\') && line.next < text.size()) {
      const TextLine more = line_from(text, line.next);
      line = {{line.span.begin, more.span.end}, more.next};
    }
    const bool magic = state.closed() && magic_line(cell, line.span, python);
    if (!magic) {
      python.append(cell.text, line.span);
      state.feed(slice(text, line.span));
    }
    python.append(cell.text, {line.span.end, line.next});
    at = line.next;
  }
  if (python.size() == 0) return;
  const Span end = cell.text.map().to_outer({cell.text.size() - 1, cell.text.size()});
  python.put("\n", end.end, 0);
  if (state.closed() && !state.broken()) {
    joined_.append(python, {0, python.size()});
  } else {
    sink_.add_damage();
    sink_.read_piece(python, {Language::python, sink_.input().kind.roles});
  }
}

/// Bytes that stand for what is no Python, at a place that has no other use.
void NotebookReader::placeholder(PieceBuilder& python, std::string_view text, const Cell& cell, std::uint32_t at) {
  python.put(text, cell.text.map().to_outer({at, at + 1}).begin, 0);
}

bool NotebookReader::magic_line(Cell& cell, Span line, PieceBuilder& python) {
  const std::string_view text = cell.text.view();
  const Span body = trim(text, line);
  const std::string_view content = slice(text, body);
  if (content.empty()) return false;
  if (content.front() == '!' || content.front() == '%') {
    python.append(cell.text, {line.begin, body.begin});
    line_magic(cell, body, body.begin, python);
    return true;
  }
  if (content.front() == '?' || content.back() == '?') {
    const std::size_t from = std::min(content.find_first_not_of('?'), content.size());
    const std::size_t to = content.find_last_not_of('?');
    if (content.find('#') != std::string_view::npos || to == std::string_view::npos) return false;
    python.append(cell.text, {line.begin, body.begin});
    python.append(cell.text,
                  {body.begin + static_cast<std::uint32_t>(from), body.begin + static_cast<std::uint32_t>(to) + 1});
    return true;
  }
  const std::size_t equals = content.find('=');
  if (equals == std::string_view::npos || content.find_first_of("(\"'#") < equals) return false;
  std::size_t mark = equals + 1;
  while (mark < content.size() && content[mark] == ' ') ++mark;
  if (mark >= content.size() || (content[mark] != '!' && content[mark] != '%')) return false;
  if (content[mark] == '!' && content.substr(mark, 2) == "!=") return false;
  assignment_magic(cell, line, body.begin + static_cast<std::uint32_t>(mark), python);
  return true;
}

/// `files = !ls`
void NotebookReader::assignment_magic(Cell& cell, Span line, std::uint32_t mark, PieceBuilder& python) {
  python.append(cell.text, {line.begin, mark});
  line_magic(cell, {mark, trim(cell.text.view(), line).end}, mark, python);
}

void NotebookReader::line_magic(Cell& cell, Span line, std::uint32_t mark, PieceBuilder& python) {
  const std::string_view text = cell.text.view();
  std::uint32_t from = mark;
  while (from < line.end && (text[from] == '!' || text[from] == '%')) ++from;
  std::uint32_t name_end = from;
  while (name_end < line.end && !is_ascii_space(text[name_end])) ++name_end;
  const std::string_view name = slice(text, {from, name_end});
  if (text[mark] == '%' && listed(name, kTimers)) {
    std::uint32_t code = name_end;
    while (code < line.end && (text[code] == ' ' || text[code] == '-')) {  // -n 10 -r 3
      while (code < line.end && text[code] == ' ') ++code;
      if (code >= line.end || text[code] != '-') break;
      while (code < line.end && text[code] != ' ') ++code;
      std::uint32_t number = code;
      while (number < line.end && (text[number] == ' ' || is_ascii_digit(text[number]))) ++number;
      if (number > code + 1 && is_ascii_digit(text[number - 1])) code = number;
    }
    python.append(cell.text, {code, line.end});
    return;
  }
  placeholder(python, "0", cell, mark);
  if (text[mark] == '%' && (name == "env" || name == "set_env")) {
    environment(cell, trim(text, {name_end, line.end}));
    return;
  }
  PieceBuilder part;
  part.append(cell.text, {from, line.end});
  sink_.read_piece(part, {Language::shell, sink_.input().kind.roles});
}

/// `%env NAME=value`, `%env NAME value`, `%env NAME`
void NotebookReader::environment(Cell& cell, Span rest) {
  const std::string_view text = slice(cell.text.view(), rest);
  const std::size_t cut = std::min(text.find_first_of("= "), text.size());
  const bool sets = cut < text.size();
  if (rest.begin >= rest.end) return;
  add_variable(sink_, cell.text.map().to_outer(rest), text.substr(0, cut),
               sets ? trim(text.substr(cut + 1)) : std::string_view(), sets ? Context::exported : Context::read);
}

/// One site for all that a cell printed: from the string that holds the first hit to the last hit.
void NotebookReader::outputs(const Cell& cell) {
  const Span all = cell.json.outputs;
  if (all.begin >= all.end || !sink_.touched(all)) return;
  const auto& hits = sink_.input().hits;
  const auto first = std::lower_bound(hits.begin(), hits.end(), all.begin,
                                      [](const Hit& hit, std::uint32_t at) { return hit.offset < at; });
  std::uint32_t begin = all.end;
  std::uint32_t end = all.begin;
  for (auto hit = first; hit != hits.end() && hit->offset < all.end; ++hit) {
    begin = std::min(begin, hit->offset);
    end = std::max<std::uint32_t>(end, hit->offset + hit->size);
  }
  for (int steps = 0;
       steps < 160 && begin > all.begin && sink_.text()[begin - 1] != '"' && sink_.text()[begin - 1] != '\n'; ++steps)
    --begin;
  if (begin >= end) return;
  Site& site = sink_.put({begin, end}, SiteKind::output, Context::none);
  site.value = std::string(sink_.text(site.span).substr(0, 400));
}

/// Tells every site its cell and line.
void NotebookReader::locate() {
  for (std::size_t i = 0; i < sink_.count(); ++i) {
    Site& site = sink_.site(i);
    auto next = std::upper_bound(cells_.begin(), cells_.end(), site.span.begin,
                                 [](std::uint32_t at, const Cell& cell) { return at < cell.json.whole.begin; });
    if (next == cells_.begin() || (--next)->json.whole.end <= site.span.begin) continue;
    site.cell = static_cast<int>(next - cells_.begin());
    if (site.kind == SiteKind::output || next->text.size() == 0) continue;
    const std::uint32_t inner = std::min(next->text.map().to_inner(site.span.begin), next->text.size() - 1);
    site.cell_line = next->lines.position(inner).line;
  }
}

}  // namespace

void read_notebook(const ReadInput& input, ReadOutput& output) {
  SiteSink sink(input, output);
  NotebookReader(sink).read();
  sink.finish(SiteKind::entry, Context::config_value);
}

}  // namespace accelport
