#include "base/json_text.h"

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "base/text.h"

namespace accelport {
namespace {

/// Bytes that can be copied as they are; anything else takes the slow path.
constexpr std::array<bool, 256> plain_bytes() {
  std::array<bool, 256> plain{};
  for (int c = 0x20; c < 0x7F; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}
constexpr auto kPlain = plain_bytes();

void append_escaped_ascii(std::string& out, unsigned char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", c);
  }
}

void append_code_unit(std::string& out, unsigned unit) { fmt::format_to(std::back_inserter(out), "\\u{:04x}", unit); }

/// Appends the multi-byte character at the start of `text`; gives its length.
std::size_t append_multi_byte(std::string& out, std::string_view text) {
  char32_t c;
  const int length = decode_utf8(text, c);
  if (length == 0) {
    out += "\xEF\xBF\xBD";
    return 1;
  }
  if (!is_hidden_character(c)) {
    out.append(text.substr(0, length));
  } else if (c < 0x10000) {
    append_code_unit(out, c);
  } else {
    append_code_unit(out, 0xD800 + ((c - 0x10000) >> 10));
    append_code_unit(out, 0xDC00 + ((c - 0x10000) & 0x3FF));
  }
  return length;
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && kPlain[static_cast<unsigned char>(text[end])]) ++end;
    out.append(text, i, end - i);
    if (end == text.size()) break;
    const auto c = static_cast<unsigned char>(text[end]);
    if (c < 0x80) {
      append_escaped_ascii(out, c);
      i = end + 1;
    } else {
      i = end + append_multi_byte(out, text.substr(end));
    }
  }
  out += '"';
}

void append_json_path(std::string& out, std::string_view path) {
  if (is_utf8(path)) return append_json_string(out, path);
  out += "{\"bytes\":\"" + base64(path) + "\"}";
}

std::string base64(std::string_view bytes) {
  static constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (int k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : kAlphabet[group >> (18 - 6 * k) & 63];
  }
  return out;
}

}  // namespace accelport
