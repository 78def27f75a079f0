#include "report/style.h"

#include <fmt/core.h>

#include "base/text.h"

namespace accelport {

std::string Painter::paint(std::string_view code, std::string_view text) const {
  return on_ && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::string Painter::decision(Decision decision, std::string_view text) const {
  switch (decision) {
    case Decision::unsupported:
      return paint("1;31", text);
    case Decision::abstract:
    case Decision::replace:
    case Decision::fallback:
      return paint("33", text);
    case Decision::retain:
      return paint("32", text);
    case Decision::ignore:
      break;
  }
  return paint("2", text);
}

std::string padded(std::string_view text, int width) {
  const int missing = width - display_width(text);
  return std::string(text) + std::string(missing > 0 ? static_cast<std::size_t>(missing) : 0, ' ');
}

std::string fitted(std::string_view text, int width) {
  // Cutting before escaping keeps the work bounded; an escape makes text longer, never shorter.
  std::string escaped = escape_for_display(text.substr(0, static_cast<std::size_t>(width) * 4 + 4));
  if (display_width(escaped) <= width && text.size() <= static_cast<std::size_t>(width) * 4 + 4) return escaped;
  std::string out;
  int used = 0;
  for (std::size_t i = 0; i < escaped.size();) {
    char32_t ignored;
    const int length = std::max(1, decode_utf8(std::string_view(escaped).substr(i), ignored));
    const int columns = display_width(std::string_view(escaped).substr(i, length));
    if (used + columns > width - 1) break;
    out.append(escaped, i, length);
    used += columns;
    i += length;
  }
  return out + "…";
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3) digits.insert(i, 1, ',');
  return digits;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

}  // namespace accelport
