#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/toml.h"

namespace accelport {

/// Where the readers of one file leave the first thing that is wrong with it.
struct FieldErrors {
  std::string path;
  std::optional<Error> first;
  bool first_is_absence = false;

  void add(int line, std::string message, std::string hint = {});
  /// Something is not there. Gives way to any other error, since a misspelt key is both unknown and absent.
  void add_absence(int line, std::string message, std::string hint = {});
};

/// Reads the keys of one table and remembers which it was asked for. Wrong types and values are reported to `errors`
/// and read as if they were absent, so a caller reads on and looks at the errors once, at the end.
class Fields {
 public:
  /// `where` is what messages call the table, for example "[[match]]".
  Fields(const TomlValue& table, std::string where, FieldErrors& errors);

  bool has(std::string_view key) const { return table_.find(key) != nullptr; }
  int line() const { return table_.line; }
  int line_of(std::string_view key) const;

  std::optional<std::string> text(std::string_view key);
  /// Reports an absent or blank value; gives "" then.
  std::string required_text(std::string_view key);
  /// A string or a list of strings; empty if absent. An empty list is reported.
  std::vector<std::string> texts(std::string_view key);
  /// The same with the values themselves, for what needs their lines.
  std::vector<const TomlValue*> text_values(std::string_view key, bool may_be_empty = false);
  std::optional<bool> flag(std::string_view key);
  std::optional<int> number(std::string_view key, int least, int most);
  /// Index of the value among `names`. `blank` is what "" stands for; -1 refuses it.
  std::optional<int> choice(std::string_view key, std::span<const std::string_view> names, int blank = -1);
  /// One bit for each value that is listed.
  std::uint64_t choices(std::string_view key, std::span<const std::string_view> names);
  /// A table or a list of tables.
  std::vector<const TomlValue*> tables(std::string_view key);
  /// Takes a key as known without reading it.
  const TomlValue* value(std::string_view key);

  void error(std::string_view key, std::string message, std::string hint = {});
  /// The table lacks something; see `FieldErrors::add_absence`.
  void absence(std::string message, std::string hint = {});
  /// Reports the first key that nobody asked for.
  void finish();

 private:
  const TomlValue* expect(std::string_view key, TomlValue::Kind kind);
  void wrong_type(std::string_view key, const TomlValue& value, std::string_view wanted);
  std::optional<int> index_of(std::string_view key, const TomlValue& value, std::span<const std::string_view> names);

  const TomlValue& table_;
  std::string where_;
  FieldErrors& errors_;
  std::vector<std::string_view> known_;
};

/// "did you mean 'x'?" or "one of: a, b, c".
std::string suggestion(std::string_view word, std::span<const std::string_view> names);

}  // namespace accelport
