#pragma once

#include <string>
#include <string_view>

#include "syntax/sink.h"

namespace accelport {

/// Adds the site of one scalar of a configuration file: `path` its keys joined with ".", `value` without quotes and
/// escapes. Knows entries that mean a package, an image, a variable or a command by the last keys of their path.
void add_config_value(SiteSink& sink, Span span, const std::string& path, std::string_view value);

/// Adds the site of one key; `path` ends in it; `value` is what stands behind it, if that is a scalar.
void add_config_key(SiteSink& sink, Span span, const std::string& path, std::string_view value);

/// True if entries under `path` are environment variables (`env:`, `environment:` …).
bool is_environment_path(std::string_view path, FileRole roles);

/// True if the scalar at `path` is a script for a shell (`run:`, `script:` …).
bool is_script_path(std::string_view path, FileRole roles);

/// True if the items of the list at `path` are the words of one command (`command:`, `args:` …).
bool is_arguments_path(std::string_view path, FileRole roles);

/// True if the entries of the list at `path` are requirements.
bool is_package_path(std::string_view path, FileRole roles);

/// The path without its last key; "[]" stands for an item of a list.
std::string_view parent_path(std::string_view path);
/// The last key that is not "[]".
std::string_view last_key(std::string_view path);

}  // namespace accelport
