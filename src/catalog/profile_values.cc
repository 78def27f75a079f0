#include "catalog/profile_values.h"

namespace accelport {

const TomlValue* value_at(const TomlValue& file, std::string_view table, std::string_view key) {
  const TomlValue* section = file.find(table);
  return section == nullptr ? nullptr : section->find(key);
}

std::string text_at(const TomlValue& file, std::string_view table, std::string_view key) {
  const TomlValue* value = value_at(file, table, key);
  return value != nullptr && value->kind == TomlValue::Kind::string ? value->text : std::string();
}

std::string newest_release(const TomlValue& profile) {
  const TomlValue* releases = value_at(profile, "torch", "release");
  if (releases == nullptr || releases->items.empty()) return "0";
  const TomlValue* package = releases->items.front().find("package");
  return package == nullptr || package->text.empty() ? "0" : package->text;
}

}  // namespace accelport
