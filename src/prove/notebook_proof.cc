#include "prove/notebook_proof.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "syntax/notebook_json.h"

namespace accelport {
namespace {

/// Names that stand for what is no Python; a text that holds such a name itself is not compared.
constexpr std::string_view kMagic = "accelport_magic_";

std::string magic(std::string_view bytes) {
  std::string name(kMagic);
  for (const char c : bytes) name += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return name;
}

/// Where in `line` IPython takes over: at its first character, or behind `name =`. npos if it is Python.
std::size_t magic_begin(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == line.npos) return line.npos;
  const std::string_view rest = trim(line.substr(begin));
  if (std::string_view("!%?").find(rest.front()) != rest.npos) return begin;
  if (rest.back() == '?' && rest.find('#') == rest.npos) return begin;
  const std::size_t equals = line.find('=');
  if (equals == line.npos || line.find_first_of("(\"'#") < equals) return line.npos;
  const std::size_t value = line.find_first_not_of(' ', equals + 1);
  if (value == line.npos || (line[value] != '!' && line[value] != '%')) return line.npos;
  return line.substr(value, 2) == "!=" ? line.npos : value;
}

/// One notebook, read for the comparison.
struct Notebook {
  struct Line {
    std::size_t cell = 0;
    std::uint32_t offset = 0;  // in the file
  };
  std::string_view text;
  std::vector<NotebookCell> cells;
  std::string outside;      // all but the sources of code cells
  std::string python;       // these, joined
  std::vector<Line> lines;  // of `python`
  std::string problem;

  explicit Notebook(std::string_view given);
  Difference placed(std::string what, std::uint32_t python_line, bool has_line) const;

 private:
  bool take_source(const NotebookCell& cell, std::uint32_t& copied);
  void add_cell(std::size_t number);
  void add_line(const PieceBuilder& source, std::size_t cell, std::uint32_t at, std::string_view line);
};

/// Moves the bytes in front of the cell's source to `outside`. False if the source is no plain list of strings.
bool Notebook::take_source(const NotebookCell& cell, std::uint32_t& copied) {
  for (std::size_t i = 1; i < cell.source.size(); ++i) {
    if (cell.source[i].begin < cell.source[i - 1].end) return false;
    const std::string_view between = slice(text, {cell.source[i - 1].end, cell.source[i].begin});
    if (between.find_first_not_of("\", \t\r\n") != between.npos) return false;
  }
  if (cell.source.front().begin < copied) return false;
  outside += slice(text, {copied, cell.source.front().begin});
  copied = cell.source.back().end;
  return true;
}

void Notebook::add_line(const PieceBuilder& source, std::size_t cell, std::uint32_t at, std::string_view line) {
  const std::uint32_t last = source.size() - 1;
  const Span place = source.map().to_outer({std::min(at, last), std::min(at, last) + 1});
  python += line;
  python += '\n';
  lines.push_back({cell, place.begin});
}

void Notebook::add_cell(std::size_t number) {
  const PieceBuilder source = cell_source(text, cells[number]);
  const std::string_view all = source.view();
  if (all.find(kMagic) != all.npos) problem = "it holds a name that stands for a magic here";
  // What half of a surrogate pair is read as could have been anything.
  if (all.find("\xEF\xBF\xBD") != all.npos) problem = "a cell holds what is no character";
  if (trim(all).starts_with("%%")) return add_line(source, number, 0, magic(all));
  for (std::uint32_t at = 0; at < all.size();) {
    const auto end_of = [&](std::uint32_t from) {
      return static_cast<std::uint32_t>(std::min(all.find('\n', from), all.size()));
    };
    std::uint32_t end = end_of(at);
    const std::size_t begin = magic_begin(all.substr(at, end - at));
    if (begin == all.npos) {
      add_line(source, number, at, all.substr(at, end - at));
    } else {
      std::uint32_t more = 0;
      for (; all[end - 1] == '\\' && end < all.size(); end = end_of(end + 1)) ++more;
      const std::string_view line = all.substr(at, end - at);
      add_line(source, number, at, std::string(line.substr(0, begin)) + magic(line.substr(begin)));
      for (; more > 0; --more) add_line(source, number, at, {});
    }
    at = end + 1;
  }
}

Notebook::Notebook(std::string_view given) : text(given) {
  std::uint32_t damage = 0;
  cells = find_cells(text, damage);
  if (damage > 0) problem = "the text cannot be parsed as a notebook";
  std::uint32_t copied = 0;
  for (std::size_t i = 0; i < cells.size() && problem.empty(); ++i) {
    if (cells[i].type != "code" || cells[i].source.empty()) continue;
    if (!take_source(cells[i], copied)) {
      problem = "the source of a cell is no list of strings";
      break;
    }
    add_cell(i);
    python += fmt::format("{}end\n", kMagic);  // what a cell shows is its last value: none moves to another cell
    lines.push_back({i, cells[i].source.back().end});
  }
  outside += text.substr(std::min<std::size_t>(copied, text.size()));
}

Difference Notebook::placed(std::string what, std::uint32_t python_line, bool has_line) const {
  Difference difference{0, 1, std::move(what)};
  if (!has_line || lines.empty()) return difference;
  const Line& line = lines[std::min<std::size_t>(python_line == 0 ? 0 : python_line - 1, lines.size() - 1)];
  difference.line = LineTable(text).position(line.offset).line;
  difference.what = fmt::format("cell {}: {}", line.cell + 1, difference.what);
  return difference;
}

}  // namespace

Proof prove_notebook(std::string_view original_bytes, std::string_view ported_bytes, const HelperTable& table,
                     const FileSurroundings& around) {
  if (original_bytes == ported_bytes) return {};
  const Notebook original(original_bytes), ported(ported_bytes);
  for (const auto& [notebook, which] : {std::pair(&original, "original"), std::pair(&ported, "ported")})
    if (!notebook->problem.empty())
      return {Proof::Verdict::unreadable, {{0, 1, fmt::format("{}: {}", which, notebook->problem)}}};
  Proof proof = prove_file(original.python, ported.python, table, around);
  for (Difference& difference : proof.differences) {
    const std::uint32_t before = difference.original_line;
    difference = ported.placed(std::move(difference.what), difference.line, difference.line != 0);
    if (before != 0) difference.original_line = original.placed({}, before, true).line;
  }
  if (original.outside != ported.outside) {
    if (proof.verdict == Proof::Verdict::identical) proof.verdict = Proof::Verdict::different;
    proof.differences.insert(proof.differences.begin(), {0, 1, "more than the sources of code cells is changed"});
  }
  return proof;
}

}  // namespace accelport
