#pragma once

#include <string>
#include <string_view>

namespace accelport {

/// Appends `text` as a JSON string with its quotes. Control, bidirectional and other invisible characters are escaped;
/// bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

/// Appends a path: a JSON string if it is UTF-8, else {"bytes": base64}.
void append_json_path(std::string& out, std::string_view path);

std::string base64(std::string_view bytes);

}  // namespace accelport
