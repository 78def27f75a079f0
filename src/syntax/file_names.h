#pragma once

#include <string_view>

namespace accelport {

/// "a/b.py" → "b.py".
std::string_view name_of(std::string_view path);
/// "a/b.py" → "a"; empty without a folder.
std::string_view folder_of(std::string_view path);
/// "b.tar.gz" → "gz"; empty if the name has no ending.
std::string_view ending_of(std::string_view name);
/// The name without template suffixes: "kernel.cuh.in" → "kernel.cuh", "Dockerfile.j2" → "Dockerfile".
std::string_view without_template_suffix(std::string_view name);
/// LICENSE, NOTICE and their like.
bool is_licence_name(std::string_view name);
/// True if a line of `head` starts with `key`.
bool line_starts(std::string_view head, std::string_view key);

}  // namespace accelport
