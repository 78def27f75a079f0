#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "edit/beside_file.h"
#include "syntax/requirement.h"

namespace accelport {
namespace {

constexpr std::string_view kTorch = "package:torch";

/// One line with its end, and what becomes of it.
struct Line {
  std::string_view text;  // with its end
  std::string left_out;   // why, or empty
  std::string instead;    // another text, or empty

  std::string_view body() const {
    std::string_view body = text;
    while (!body.empty() && (body.back() == '\n' || body.back() == '\r')) body.remove_suffix(1);
    return body;
  }
  bool says_nothing() const {
    const std::string_view rest = trim(text);
    return rest.empty() || rest.front() == '#';
  }
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back({text.substr(0, size), {}, {}});
    text.remove_prefix(size);
  }
  return lines;
}

/// Marks the lines of every bound place.
void leave_out(const BesideSource& source, std::vector<Line>& lines) {
  for (const Occurrence* occurrence : source.bound)
    for (std::size_t i = occurrence->line; i <= occurrence->end_line && i <= lines.size(); ++i)
      if (lines[i - 1].left_out.empty()) lines[i - 1].left_out = reason_beside(source, *occurrence);
}

/// A requirement that goes on behind a backslash goes as a whole.
void join_continued(std::vector<Line>& lines) {
  for (std::size_t begin = 0; begin < lines.size();) {
    std::size_t end = begin + 1;
    while (end < lines.size() && trim(lines[end - 1].text).ends_with('\\')) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      if (lines[i].left_out.empty()) continue;
      const std::string reason = lines[i].left_out;
      for (std::size_t k = begin; k < end; ++k) lines[k].left_out = reason;
      break;
    }
    begin = end;
  }
}

/// `-r other.txt` takes the platform's list of the same packages.
void redirect(const BesideSource& source, std::vector<Line>& lines) {
  for (Line& line : lines) {
    const std::string_view body = trim(line.text);
    std::size_t option = 0;
    for (const std::string_view name : {"-r", "-c", "--requirement", "--constraint"})
      if (body.starts_with(name)) option = name.size();
    if (option == 0 || !line.left_out.empty() || option == body.size()) continue;
    std::string_view included = body.substr(option);
    if (included.front() != ' ' && included.front() != '=' && included.front() != '\t' && option != 2) continue;
    if (included.front() == '=') included.remove_prefix(1);
    included = trim(included);
    included = included.substr(0, included.find_first_of(" \t#"));
    if (included.empty()) continue;
    const std::string* other = source.included(included);
    if (other == nullptr) continue;
    if (other->empty()) {
      line.left_out = "nothing in that file is to be installed for the platform";
    } else {
      const std::size_t at = static_cast<std::size_t>(included.data() - line.text.data());
      line.instead = fmt::format("{}{}{}", line.text.substr(0, at), *other, line.text.substr(at + included.size()));
    }
  }
}

std::string written(const BesideSource& source, const std::vector<Line>& lines, std::string_view head) {
  const std::string_view end = line_end_of(source.text);
  std::string out = head_beside(source, head);
  const std::string* reason = nullptr;  // of the line before
  for (const Line& line : lines) {
    if (line.left_out.empty()) {
      out += line.instead.empty() ? line.text : std::string_view(line.instead);
      reason = nullptr;
      continue;
    }
    if (reason == nullptr || *reason != line.left_out) out += fmt::format("# left out: {}{}", line.left_out, end);
    out += fmt::format("#     {}{}", line.body(), line.text.ends_with('\n') ? end : std::string_view());
    reason = &line.left_out;
  }
  return out;
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(" "), line.size()); }

/// "- name=version" alone on its line: the name and version.
std::string_view entry_of(std::string_view line) {
  std::string_view body = trim(line);
  if (!body.starts_with("- ")) return {};
  body = trim(body.substr(2));
  body = trim(body.substr(0, body.find(" #")));
  if (body.size() >= 2 && (body.front() == '"' || body.front() == '\'') && body.back() == body.front())
    body = body.substr(1, body.size() - 2);
  const bool other = body.empty() || std::string_view("[{&*!|>\"'").find(body.front()) != std::string_view::npos ||
                     body.ends_with(':') || body.find(": ") != std::string_view::npos;
  return other ? std::string_view() : body;
}

/// Whether the list in which line `i` stands keeps another entry.
bool keeps_another(const std::vector<Line>& lines, std::size_t i) {
  const std::size_t indent = indent_of(lines[i].text);
  const auto kept = [&](std::size_t k) {
    return indent_of(lines[k].text) == indent && trim(lines[k].text).starts_with("-") && lines[k].left_out.empty();
  };
  const auto ends = [&](std::size_t k) {
    if (lines[k].says_nothing()) return false;
    const std::size_t other = indent_of(lines[k].text);
    return other < indent || (other == indent && !trim(lines[k].text).starts_with("-"));
  };
  for (std::size_t k = i; k-- > 0 && !ends(k);)
    if (kept(k)) return true;
  for (std::size_t k = i + 1; k < lines.size() && !ends(k); ++k)
    if (kept(k)) return true;
  return false;
}

/// conda would install its own torch in spite of the vendor's. Channels of the same names are none.
void leave_out_torch(const BesideSource& source, std::vector<Line>& lines) {
  const std::vector<std::string>& names = source.table.torch_packages;
  bool packages = false;
  for (Line& line : lines) {
    const bool key = !line.says_nothing() && indent_of(line.text) == 0 && !line.text.starts_with('-');
    if (key) packages = line.text.starts_with("dependencies:");
    const std::string_view entry = packages ? entry_of(line.text) : std::string_view();
    if (entry.empty() || !line.left_out.empty()) continue;
    const std::string name = parse_requirement(entry).name;
    if (std::find(names.begin(), names.end(), name) != names.end()) line.left_out = source.table.torch_reason;
  }
}

/// Why no list is written: torch itself is not made for CUDA, the other packages that are left out are.
std::string nothing_left(const BesideSource& source) {
  const auto is_torch = [&](const Occurrence* o) { return o->api == kTorch && !source.platform.package.empty(); };
  const auto torch = std::count_if(source.bound.begin(), source.bound.end(), is_torch);
  if (torch == 0) return "everything in it is for CUDA: there is nothing to install for the platform";
  const std::string instead = fmt::format("the vendor's torch and {}", source.platform.package);
  if (static_cast<std::size_t>(torch) == source.bound.size())
    return fmt::format("it lists torch only, and {} are installed instead", instead);
  return fmt::format("{} are installed instead of torch, and the rest is for CUDA", instead);
}

}  // namespace

BesideText requirements_beside(const BesideSource& source) {
  std::vector<Line> lines = lines_of(source.text);
  leave_out(source, lines);
  join_continued(lines);
  redirect(source, lines);
  const bool empty = std::all_of(lines.begin(), lines.end(),
                                 [](const Line& line) { return line.says_nothing() || !line.left_out.empty(); });
  if (empty) return {{}, nothing_left(source), {}};
  return {written(source, lines, source.table.requirements_head), {}, {}};
}

BesideText environment_beside(const BesideSource& source) {
  std::vector<Line> lines = lines_of(source.text);
  for (const Occurrence* occurrence : source.bound)
    if (occurrence->end_line > lines.size() || occurrence->line != occurrence->end_line ||
        entry_of(lines[occurrence->line - 1].text).empty())
      return {{}, "its entries do not stand on lines of their own, so none can be left out safely", {}};
  leave_out(source, lines);
  leave_out_torch(source, lines);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!lines[i].left_out.empty() && !keeps_another(lines, i))
      return {{}, "a list in it has nothing left without what is for CUDA", {}};
  return {written(source, lines, source.table.environment_head), {}, {}};
}

}  // namespace accelport
