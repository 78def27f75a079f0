#pragma once

#include <string_view>

#include "catalog/fields.h"
#include "catalog/file_text.h"
#include "catalog/rule.h"

namespace accelport {

/// A site with what its file adds to it.
struct SiteView {
  const Site& site;
  const FileText& text;
  std::string_view bytes;  // the site's own
  std::string_view path;
  FileRole roles;
};

/// Reads one [[match]] or [[outcome.when]] table, named `where` in errors.
Condition read_condition(const TomlValue& table, std::string where, FieldErrors& errors);

/// True if every field of `condition` that is set holds. Cheap tests first, regular expressions last.
bool holds(const Condition& condition, const SiteView& view);

}  // namespace accelport
