#include "catalog/fields.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <fmt/format.h>

#include "base/text.h"
#include "catalog/site_names.h"

namespace accelport {

void FieldErrors::add(int line, std::string message, std::string hint) {
  if (first && !first_is_absence) return;
  first_is_absence = false;
  first = Error{Error::Kind::data, std::move(message), fmt::format("{}:{}", path, std::max(line, 1)), std::move(hint)};
}

void FieldErrors::add_absence(int line, std::string message, std::string hint) {
  if (first) return;
  add(line, std::move(message), std::move(hint));
  first_is_absence = true;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> names) {
  const std::string_view nearest = nearest_name(word, names);
  if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  return fmt::format("one of: {}", fmt::join(names, ", "));
}

Fields::Fields(const TomlValue& table, std::string where, FieldErrors& errors)
    : table_(table), where_(std::move(where)), errors_(errors) {}

int Fields::line_of(std::string_view key) const {
  const TomlValue* found = table_.find(key);
  return found ? found->line : table_.line;
}

const TomlValue* Fields::value(std::string_view key) {
  known_.push_back(key);
  return table_.find(key);
}

void Fields::error(std::string_view key, std::string message, std::string hint) {
  errors_.add(line_of(key), std::move(message), std::move(hint));
}

void Fields::wrong_type(std::string_view key, const TomlValue& value, std::string_view wanted) {
  errors_.add(value.line, fmt::format("'{}' in {} must be {}, not {}", key, where_, wanted, describe(value.kind)));
}

const TomlValue* Fields::expect(std::string_view key, TomlValue::Kind kind) {
  const TomlValue* found = value(key);
  if (found == nullptr || found->kind == kind) return found;
  wrong_type(key, *found, describe(kind));
  return nullptr;
}

void Fields::absence(std::string message, std::string hint) {
  errors_.add_absence(table_.line, std::move(message), std::move(hint));
}

std::optional<std::string> Fields::text(std::string_view key) {
  const TomlValue* found = expect(key, TomlValue::Kind::string);
  if (found == nullptr) return std::nullopt;
  return found->text;
}

std::string Fields::required_text(std::string_view key) {
  const TomlValue* found = expect(key, TomlValue::Kind::string);
  if (found != nullptr && !trim(found->text).empty()) return found->text;
  const std::string hint = fmt::format("add {} = \"...\"", key);
  if (found != nullptr) error(key, fmt::format("{} has an empty '{}'", where_, key), hint);
  if (!has(key)) absence(fmt::format("{} has no '{}'", where_, key), hint);
  return {};
}

std::vector<const TomlValue*> Fields::text_values(std::string_view key, bool may_be_empty) {
  std::vector<const TomlValue*> out;
  const TomlValue* found = value(key);
  if (found == nullptr) return out;
  if (found->kind == TomlValue::Kind::string) return {found};
  if (found->kind != TomlValue::Kind::list) {
    wrong_type(key, *found, "a list of strings");
    return out;
  }
  for (const TomlValue& item : found->items) {
    if (item.kind == TomlValue::Kind::string) {
      out.push_back(&item);
    } else {
      wrong_type(key, item, "a list of strings");
    }
  }
  if (out.empty() && !may_be_empty) error(key, fmt::format("'{}' in {} is empty", key, where_), "leave the key out");
  return out;
}

std::vector<std::string> Fields::texts(std::string_view key) {
  std::vector<std::string> out;
  for (const TomlValue* item : text_values(key)) {
    if (item->text.empty()) errors_.add(item->line, fmt::format("'{}' in {} has an empty string", key, where_));
    out.push_back(item->text);
  }
  return out;
}

std::optional<bool> Fields::flag(std::string_view key) {
  const TomlValue* found = expect(key, TomlValue::Kind::boolean);
  if (found == nullptr) return std::nullopt;
  return found->boolean;
}

std::optional<int> Fields::number(std::string_view key, int least, int most) {
  const TomlValue* found = expect(key, TomlValue::Kind::integer);
  if (found == nullptr) return std::nullopt;
  if (found->integer < least || found->integer > most) {
    error(key, fmt::format("'{}' in {} must be between {} and {}", key, where_, least, most));
    return std::nullopt;
  }
  return static_cast<int>(found->integer);
}

std::optional<int> Fields::index_of(std::string_view key, const TomlValue& value,
                                    std::span<const std::string_view> names) {
  const auto at = std::find(names.begin(), names.end(), value.text);
  if (at != names.end()) return static_cast<int>(at - names.begin());
  errors_.add(value.line, fmt::format("unknown value '{}' of '{}' in {}", escape_for_display(value.text), key, where_),
              suggestion(value.text, names));
  return std::nullopt;
}

std::optional<int> Fields::choice(std::string_view key, std::span<const std::string_view> names, int blank) {
  const TomlValue* found = expect(key, TomlValue::Kind::string);
  if (found == nullptr) return std::nullopt;
  if (found->text.empty() && blank >= 0) return blank;
  return index_of(key, *found, names);
}

std::uint64_t Fields::choices(std::string_view key, std::span<const std::string_view> names) {
  std::uint64_t bits = 0;
  for (const TomlValue* item : text_values(key)) {
    if (const auto index = index_of(key, *item, names)) bits |= std::uint64_t{1} << *index;
  }
  return bits;
}

std::vector<const TomlValue*> Fields::tables(std::string_view key) {
  std::vector<const TomlValue*> out;
  const TomlValue* found = value(key);
  if (found == nullptr) return out;
  if (found->kind == TomlValue::Kind::table) return {found};
  if (found->kind != TomlValue::Kind::list) {
    wrong_type(key, *found, "a table");
    return out;
  }
  for (const TomlValue& item : found->items) {
    if (item.kind == TomlValue::Kind::table) {
      out.push_back(&item);
    } else {
      wrong_type(key, item, "a list of tables");
    }
  }
  return out;
}

void Fields::finish() {
  for (const auto& [key, value] : table_.members) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    errors_.add(value.line, fmt::format("unknown key '{}' in {}", escape_for_display(key), where_),
                suggestion(key, known_));
    return;
  }
}

}  // namespace accelport
