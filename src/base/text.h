#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace accelport {

/// Half-open range of byte offsets in one text.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  std::uint32_t size() const { return end - begin; }
  bool contains(std::uint32_t offset) const { return begin <= offset && offset < end; }
  friend bool operator==(const Span&, const Span&) = default;
};

/// A place in a text for people: both numbers start at 1, `column` counts UTF-8 bytes.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

/// Where each line starts. Only "\n" ends a line (so "\r\n" does too): grep, git and SARIF viewers count lines that
/// way.
class LineTable {
 public:
  explicit LineTable(std::string_view text);

  Position position(std::uint32_t offset) const;
  /// The line's bytes without its end; `line` starts at 1 and must exist.
  Span line(std::uint32_t line) const;
  std::uint32_t count() const { return static_cast<std::uint32_t>(starts_.size()); }

 private:
  std::vector<std::uint32_t> starts_;
  std::uint32_t size_;
};

/// The part of `text` that `span` names; spans past the end are cut.
inline std::string_view slice(std::string_view text, Span span) {
  if (span.begin >= text.size()) return {};
  return text.substr(span.begin, span.end - span.begin);
}

/// Decodes the character at the start of `text`; gives its length in bytes, or 0 if those bytes are not UTF-8.
int decode_utf8(std::string_view text, char32_t& character);

/// Control, bidirectional, zero-width and other characters that a reader cannot see.
bool is_hidden_character(char32_t character);

/// How many bytes below 0x80 `text` begins with.
std::size_t ascii_prefix(std::string_view text);

/// True if `text` is well-formed UTF-8.
bool is_utf8(std::string_view text);

/// `text` made safe to print: control characters, bidirectional marks, zero-width and line-separator characters and
/// bytes that are not UTF-8 become \xNN or \u{NNNN}; everything else stays. Newlines and tabs are escaped too.
std::string escape_for_display(std::string_view text);

/// Columns that `text` takes on a terminal: combining marks 0, East Asian wide characters 2.
int display_width(std::string_view text);

/// UTF-16 code units in a UTF-8 text (SARIF and LSP columns); a byte that is not UTF-8 counts as one.
std::uint32_t utf16_length(std::string_view text);

inline bool is_ascii_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_ascii_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// Letters, digits, "_" and every byte of a multi-byte character: what an identifier may hold.
inline bool is_word_byte(char c) {
  return is_ascii_alpha(c) || is_ascii_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
inline char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

std::string ascii_lower(std::string_view text);
std::string_view trim(std::string_view text);
bool starts_with_ignoring_case(std::string_view text, std::string_view prefix);
bool contains_ignoring_case(std::string_view text, std::string_view part);

/// `*` stands for any run of bytes, dots included; nothing else is special.
bool glob_match(std::string_view pattern, std::string_view text);

/// Shell-style path pattern: `?` and `*` stop at "/", `**` does not; a pattern without "/" matches any last component.
bool path_match(std::string_view pattern, std::string_view path);

}  // namespace accelport
