#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace accelport {

struct TomlMember;

/// A value of a TOML file with the line it stands on. Plain data: the library that reads TOML is used in one file only.
struct TomlValue {
  enum class Kind : std::uint8_t { string, integer, number, boolean, list, table, date };

  Kind kind = Kind::table;
  bool opens_with_newline = false;  ///< a string whose first newline, behind the three quotes, TOML drops
  bool boolean = false;
  int line = 0;
  std::int64_t integer = 0;
  double number = 0;
  std::string text;
  std::vector<TomlValue> items;     ///< of a list
  std::vector<TomlMember> members;  ///< of a table, in the order of the file

  /// The member called `key`, or null.
  const TomlValue* find(std::string_view key) const;
};

/// One entry of a table.
struct TomlMember {
  std::string key;
  TomlValue value;
};

/// "string", "list" …, with an article, for messages.
std::string_view describe(TomlValue::Kind kind);

/// Reads a whole file. Bounded on any input: size, nesting and dotted keys have limits far above what people write.
/// `path` is what errors name.
Result<TomlValue> parse_toml(std::string_view bytes, std::string_view path);

}  // namespace accelport
