#include "audit/identify.h"

#include <unordered_map>

#include "base/hash.h"

namespace accelport {
namespace {

/// More of a line than this does not make an id more stable, and one line can be a whole file.
constexpr std::size_t kMaxLine = 512;

/// The text around a span: from its line's start to its last line's end, bounded on both sides of the span.
std::string_view lines_around(std::string_view text, const LineTable& lines, const Occurrence& occurrence) {
  const Span first = lines.line(occurrence.line);
  const Span last = occurrence.end_line == occurrence.line ? first : lines.line(occurrence.end_line);
  const std::uint32_t begin =
      occurrence.span.begin - first.begin > kMaxLine ? occurrence.span.begin - kMaxLine : first.begin;
  const std::uint32_t end = std::min<std::uint32_t>(last.end, occurrence.span.begin + kMaxLine);
  return text.substr(begin, std::max(end, begin) - begin);
}

std::string folded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!is_ascii_space(c)) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace

void assign_ids(std::string_view path, std::string_view text, const LineTable& lines,
                std::vector<Occurrence>& occurrences) {
  std::unordered_map<std::uint64_t, std::uint64_t> seen;
  for (Occurrence& occurrence : occurrences) {
    Hasher base;
    base.add(path).add(occurrence.rule == nullptr ? std::string_view() : occurrence.rule->id);
    base.add(folded(lines_around(text, lines, occurrence)));
    const std::uint64_t key = base.digest();
    Hasher whole;
    whole.add(key).add(seen[key]++);
    occurrence.id = to_hex(whole.digest());
  }
}

}  // namespace accelport
