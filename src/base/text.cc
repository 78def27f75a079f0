#include "base/text.h"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

namespace accelport {

int decode_utf8(std::string_view text, char32_t& out) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(0);
  if (first < 0x80) {
    out = first;
    return 1;
  }
  const int length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || static_cast<std::size_t>(length) > text.size()) return 0;
  char32_t value = first & (0xFF >> (length + 1));
  for (int k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0) != 0x80) return 0;
    value = value << 6 | (byte(k) & 0x3F);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  if (overlong || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return 0;
  out = value;
  return length;
}

bool is_hidden_character(char32_t c) {
  return c < 0x20 || c == 0x7F || (c >= 0x80 && c < 0xA0) || c == 0xAD || c == 0x61C || c == 0x180E ||
         (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE0FFF);
}

namespace {

int decode(std::string_view text, std::size_t i, char32_t& out) { return decode_utf8(text.substr(i), out); }
bool is_hidden(char32_t c) { return is_hidden_character(c); }

bool is_combining(char32_t c) {
  return (c >= 0x300 && c <= 0x36F) || (c >= 0x1AB0 && c <= 0x1AFF) || (c >= 0x20D0 && c <= 0x20FF) ||
         (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0xFE20 && c <= 0xFE2F);
}

bool is_wide(char32_t c) {
  return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0x303E) || (c >= 0x3041 && c <= 0xA4CF) ||
         (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) ||
         (c >= 0xFF00 && c <= 0xFF60) || (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) ||
         (c >= 0x20000 && c <= 0x3FFFD);
}

}  // namespace

LineTable::LineTable(std::string_view text) : size_(static_cast<std::uint32_t>(text.size())) {
  starts_.push_back(0);
  const char* const base = text.data();
  const char* const end = base + text.size();
  for (const char* p = base; p < end;) {
    p = static_cast<const char*>(std::memchr(p, '\n', end - p));
    if (p == nullptr) break;
    starts_.push_back(static_cast<std::uint32_t>(++p - base));
  }
}

Position LineTable::position(std::uint32_t offset) const {
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto line = static_cast<std::uint32_t>(next - starts_.begin());
  return {line, offset - starts_[line - 1] + 1};
}

Span LineTable::line(std::uint32_t line) const {
  const std::uint32_t begin = starts_[line - 1];
  return {begin, line < starts_.size() ? starts_[line] - 1 : size_};
}

std::size_t ascii_prefix(std::string_view text) {
  constexpr std::size_t kBlock = 64;
  std::size_t i = 0;
  for (; i + kBlock <= text.size(); i += kBlock) {
    unsigned char all = 0;  // a loop without a way out is one that compilers make wide
    for (std::size_t k = 0; k < kBlock; ++k) all |= static_cast<unsigned char>(text[i + k]);
    if (all >= 0x80) break;
  }
  while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80) ++i;
  return i;
}

bool is_utf8(std::string_view text) {
  char32_t ignored;
  for (std::size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      i += ascii_prefix(text.substr(i));
      continue;
    }
    const int length = decode(text, i, ignored);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string escape_for_display(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    char32_t c;
    const int length = decode(text, i, c);
    if (length == 0) {
      out += fmt::format("\\x{:02X}", static_cast<unsigned char>(text[i++]));
      continue;
    }
    if (!is_hidden(c)) {
      out.append(text, i, length);
    } else if (c == '\n' || c == '\t' || c == '\r') {
      out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    } else {
      out += c < 0x80 ? fmt::format("\\x{:02X}", static_cast<unsigned>(c))
                      : fmt::format("\\u{{{:04X}}}", static_cast<unsigned>(c));
    }
    i += length;
  }
  return out;
}

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t i = 0; i < text.size();) {
    char32_t c;
    const int length = decode(text, i, c);
    width += length == 0 ? 1 : is_combining(c) || is_hidden(c) ? 0 : is_wide(c) ? 2 : 1;
    i += length == 0 ? 1 : length;
  }
  return width;
}

std::uint32_t utf16_length(std::string_view text) {
  std::uint32_t units = 0;
  for (std::size_t i = 0; i < text.size();) {
    char32_t c = 0;
    const int length = decode(text, i, c);
    units += c >= 0x10000 ? 2 : 1;
    i += length == 0 ? 1 : length;
  }
  return units;
}

std::string ascii_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = ascii_lower(c);
  return out;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_ascii_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_ascii_space(text.back())) text.remove_suffix(1);
  return text;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  if (text.size() < prefix.size()) return false;
  for (std::size_t i = 0; i < prefix.size(); ++i)
    if (ascii_lower(text[i]) != ascii_lower(prefix[i])) return false;
  return true;
}

bool contains_ignoring_case(std::string_view text, std::string_view part) {
  for (std::size_t i = 0; i + part.size() <= text.size(); ++i)
    if (starts_with_ignoring_case(text.substr(i), part)) return true;
  return false;
}

bool glob_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

namespace {

/// Two places to come back to are enough: behind the last `*`, which can grow to the next "/", and behind the last
/// `**`, which can grow to the end and makes everything in front of it settled. So the time is bounded by the lengths'
/// product.
bool match_path_from(std::string_view pattern, std::string_view path) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t p = 0, t = 0, star = kNone, star_end = 0, deep = kNone, deep_end = 0;
  for (;;) {
    if (pattern.substr(p, 2) == "**") {
      const bool takes_slash = (p == 0 || pattern[p - 1] == '/') && pattern.substr(p + 2, 1) == "/";
      deep = p + 2, deep_end = takes_slash ? t : t + 1, star = kNone;
      p += takes_slash ? 3 : 2;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = ++p, star_end = t;
    } else if (p == pattern.size() && t == path.size()) {
      return true;
    } else if (p < pattern.size() && t < path.size() &&
               (pattern[p] == path[t] || (pattern[p] == '?' && path[t] != '/'))) {
      ++p, ++t;
    } else if (star != kNone && star_end < path.size() && path[star_end] != '/') {
      p = star, t = ++star_end;
    } else if (deep != kNone && deep_end <= path.size()) {
      p = deep, t = deep_end++, star = kNone;
    } else {
      return false;
    }
  }
}

}  // namespace

bool path_match(std::string_view pattern, std::string_view path) {
  while (pattern.substr(0, 2) == "./") pattern.remove_prefix(2);
  if (!pattern.empty() && pattern.back() == '/') return match_path_from(std::string(pattern) + "**", path);
  if (pattern.find('/') != std::string_view::npos) return match_path_from(pattern, path);
  const std::size_t slash = path.rfind('/');
  return match_path_from(pattern, slash == std::string_view::npos ? path : path.substr(slash + 1));
}

}  // namespace accelport
