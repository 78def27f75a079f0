#pragma once

#include <string>
#include <string_view>

#include "catalog/toml.h"

namespace accelport {

/// The value of `key` in the table `table` of a platform's file, or null.
const TomlValue* value_at(const TomlValue& file, std::string_view table, std::string_view key);
/// … if it is a string, or empty.
std::string text_at(const TomlValue& file, std::string_view table, std::string_view key);
/// The version of the platform's package that its profile lists first, or "0".
std::string newest_release(const TomlValue& profile);

}  // namespace accelport
