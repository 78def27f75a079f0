#pragma once

#include <string>
#include <string_view>

namespace accelport {

/// Appends the value of one plain string literal (prefix and quotes included). Escapes that name characters outside of
/// ASCII become UTF-8; an escape that Python would refuse stays as written.
void append_string_value(std::string_view literal, std::string& value);

/// Appends the value of the text between a literal's quotes; `doubled_braces` for the text parts of an f-string.
void append_string_body(std::string_view body, bool raw, bool bytes, bool doubled_braces, std::string& value);

/// The parts of a literal.
struct StringParts {
  std::string_view prefix;
  std::string_view body;
};
StringParts split_string(std::string_view literal);

}  // namespace accelport
