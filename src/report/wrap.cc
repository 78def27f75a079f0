#include "report/wrap.h"

#include <algorithm>

#include "base/text.h"

namespace accelport {

std::vector<std::string> wrapped(std::string_view text, int width) {
  std::vector<std::string> lines;
  std::string current;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string word = escape_for_display(text.substr(begin, end - begin));
    if (!current.empty() && display_width(current) + 1 + display_width(word) > std::max(width, 20)) {
      lines.push_back(std::move(current));
      current.clear();
    }
    if (!word.empty()) current += (current.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  if (!current.empty()) lines.push_back(std::move(current));
  return lines;
}

}  // namespace accelport
