#include "syntax/python_strings.h"

#include <cstdint>

#include "base/text.h"

namespace accelport {
namespace {

void append_utf8(std::uint32_t c, std::string& out) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18 & 7));
    out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

int digit(char c) {
  if (is_ascii_digit(c)) return c - '0';
  c = ascii_lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/// Reads up to `most` digits; gives how many there were.
std::size_t read_digits(std::string_view text, int base, std::size_t most, std::uint32_t& value) {
  std::size_t n = 0;
  value = 0;
  while (n < most && n < text.size() && digit(text[n]) < base) value = value * base + digit(text[n++]);
  return n;
}

char simple_escape(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    case '\\':
    case '\'':
    case '"':
      return c;
    default:
      return 0;
  }
}

/// Appends what the escape at the front of `text` (behind the backslash) stands for; gives its size, 0 if it is none.
std::size_t append_escape(std::string_view text, bool bytes, std::string& value) {
  if (text.empty()) return 0;
  const char c = text[0];
  if (const char simple = simple_escape(c)) {
    value += simple;
    return 1;
  }
  if (c == '\n') return 1;
  if (c == '\r') return text.size() > 1 && text[1] == '\n' ? 2 : 1;
  std::uint32_t code = 0;
  if (const std::size_t n = read_digits(text, 8, 3, code)) {
    append_utf8(code, value);
    return n;
  }
  const std::size_t wanted = c == 'x' ? 2 : bytes ? 0 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (wanted == 0 || read_digits(text.substr(1), 16, wanted, code) != wanted || code > 0x10FFFF) return 0;
  append_utf8(code, value);
  return wanted + 1;
}

}  // namespace

StringParts split_string(std::string_view literal) {
  StringParts parts;
  std::size_t quote = 0;
  while (quote < literal.size() && literal[quote] != '\'' && literal[quote] != '"') ++quote;
  parts.prefix = literal.substr(0, quote);
  std::string_view body = literal.substr(quote);
  if (body.empty()) return parts;
  const char q = body[0];
  const bool triple = body.size() >= 3 && body[1] == q && body[2] == q;
  const std::size_t size = triple ? 3 : 1;
  body.remove_prefix(size);
  // An unclosed literal has no quotes at its end.
  const bool closed = body.size() >= size &&
                      body.substr(body.size() - size) == std::string_view("\"\"\"'''").substr(q == '"' ? 0 : 3, size);
  if (closed) body.remove_suffix(size);
  parts.body = body;
  return parts;
}

void append_string_body(std::string_view body, bool raw, bool bytes, bool doubled_braces, std::string& value) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    const char c = body[i];
    if (c == '\\' && !raw) {
      const std::size_t size = append_escape(body.substr(i + 1), bytes, value);
      if (size == 0) value += c;
      i += size;
      continue;
    }
    value += c;
    if (doubled_braces && (c == '{' || c == '}') && i + 1 < body.size() && body[i + 1] == c) ++i;
  }
}

void append_string_value(std::string_view literal, std::string& value) {
  const StringParts parts = split_string(literal);
  bool raw = false, bytes = false;
  for (const char c : parts.prefix) {
    raw = raw || ascii_lower(c) == 'r';
    bytes = bytes || ascii_lower(c) == 'b';
  }
  append_string_body(parts.body, raw, bytes, false, value);
}

}  // namespace accelport
