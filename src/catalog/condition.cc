#include "catalog/condition.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "catalog/site_names.h"

namespace accelport {
namespace {

constexpr int kMaxArguments = 1000;

/// How much of what follows a site `after` sees: enough for a short call, whatever the line's length.
constexpr std::size_t kAfter = 240;

NameSet read_names(Fields& fields, std::string_view key) {
  NameSet names;
  for (std::string& name : fields.texts(key)) names.add(std::move(name));
  return names;
}

/// Several expressions are one alternative; each is compiled by itself first, so that the error names its line.
std::optional<Pattern> read_pattern(Fields& fields, std::string_view key, FieldErrors& errors) {
  const auto values = fields.text_values(key);
  std::string all;
  for (const TomlValue* value : values) {
    const Result<Pattern> one = Pattern::compile(value->text);
    if (!one) {
      errors.add(value->line, fmt::format("'{}': {}", key, escape_for_display(one.error().message)), one.error().hint);
      return std::nullopt;
    }
    if (value->text.empty()) errors.add(value->line, fmt::format("'{}' is empty and would always match", key));
    all += (all.empty() ? "(?:" : "|(?:") + value->text + ")";
  }
  if (values.empty()) return std::nullopt;
  Result<Pattern> joined = Pattern::compile(values.size() == 1 ? values.front()->text : all);
  if (joined) return std::move(*joined);
  fields.error(key, fmt::format("'{}': {}", key, escape_for_display(joined.error().message)), joined.error().hint);
  return std::nullopt;
}

template <typename Flags>
Flags read_flags(Fields& fields, std::string_view key, std::span<const std::string_view> names) {
  return static_cast<Flags>(fields.choices(key, names));
}

void read_place(Condition& out, Fields& fields) {
  out.languages = static_cast<std::uint32_t>(fields.choices("language", language_names()));
  out.kinds = static_cast<std::uint32_t>(fields.choices("kind", site_kind_names()));
  out.contexts = fields.choices("context", context_names());
  out.roles = read_flags<FileRole>(fields, "file", role_names());
  out.roles_all_absent = read_flags<FileRole>(fields, "not_file", role_names());
  out.path = fields.texts("path");
  out.guards = read_flags<Guard>(fields, "guard", guard_names());
  out.guards_all_absent = read_flags<Guard>(fields, "not_guard", guard_names());
  out.flows = read_flags<Flow>(fields, "flow", flow_names());
  out.flows_all_absent = read_flags<Flow>(fields, "not_flow", flow_names());
}

void read_name_sets(Condition& out, Fields& fields) {
  out.api = read_names(fields, "api");
  out.callee = read_names(fields, "callee");
  out.keyword = read_names(fields, "keyword");
  out.first_argument = read_names(fields, "first_argument");
  out.function = read_names(fields, "function");
  out.class_name = read_names(fields, "class_name");
  out.not_api = read_names(fields, "not_api");
  out.not_callee = read_names(fields, "not_callee");
  out.not_keyword = read_names(fields, "not_keyword");
  out.not_function = read_names(fields, "not_function");
  out.has_keyword = read_names(fields, "has_keyword");
  out.lacks_keyword = read_names(fields, "lacks_keyword");
}

template <typename Enum>
bool any_of_bits(std::uint64_t bits, Enum value) {
  return bits == 0 || (bits >> static_cast<unsigned>(value) & 1) != 0;
}

template <typename Flags>
bool flags_hold(Flags wanted, Flags unwanted, Flags present) {
  return (wanted == Flags::none || has(present, wanted)) && !has(present, unwanted);
}

bool place_holds(const Condition& c, const SiteView& v) {
  const Site& site = v.site;
  return any_of_bits(c.kinds, site.kind) && any_of_bits(c.contexts, site.context) &&
         any_of_bits(c.languages, site.language) && flags_hold(c.flows, c.flows_all_absent, site.flows) &&
         flags_hold(c.guards, c.guards_all_absent, site.guards) && flags_hold(c.roles, c.roles_all_absent, v.roles);
}

bool numbers_hold(const Condition& c, const Site& site) {
  return (!c.called || *c.called == site.called) && (!c.argument || *c.argument == site.argument) &&
         (!c.min_positional || site.positional >= *c.min_positional) &&
         (!c.max_positional || site.positional <= *c.max_positional) &&
         (!c.certain_name || *c.certain_name == site.certain_name);
}

bool name_holds(const NameSet& wanted, std::string_view name) { return wanted.empty() || wanted.contains(name); }
bool name_absent(const NameSet& unwanted, std::string_view name) {
  return unwanted.empty() || !unwanted.contains(name);
}

bool names_hold(const Condition& c, const Site& site) {
  return name_holds(c.api, site.api) && name_holds(c.callee, site.callee) && name_holds(c.keyword, site.keyword) &&
         name_holds(c.first_argument, site.first_argument) && name_holds(c.function, site.function) &&
         name_holds(c.class_name, site.class_name) && name_absent(c.not_api, site.api) &&
         name_absent(c.not_callee, site.callee) && name_absent(c.not_keyword, site.keyword) &&
         name_absent(c.not_function, site.function);
}

bool keywords_hold(const Condition& c, const Site& site) {
  const auto& given = site.keywords;
  const auto listed_in = [](const NameSet& names) {
    return [&names](std::string_view k) { return names.contains(k); };
  };
  if (!c.has_keyword.empty() && std::none_of(given.begin(), given.end(), listed_in(c.has_keyword))) return false;
  if (c.lacks_keyword.empty()) return true;
  const auto spoils = [&](std::string_view keyword) { return keyword == "**" || c.lacks_keyword.contains(keyword); };
  return std::none_of(given.begin(), given.end(), spoils);
}

bool path_holds(const Condition& c, std::string_view path) {
  const auto matches = [path](const std::string& pattern) { return path_match(pattern, path); };
  return c.path.empty() || std::any_of(c.path.begin(), c.path.end(), matches);
}

bool patterns_hold(const Condition& c, const SiteView& v) {
  return (!c.value || c.value->found_in(v.site.value)) && (!c.text || c.text->found_in(v.bytes)) &&
         (!c.not_value || !c.not_value->found_in(v.site.value)) && (!c.not_text || !c.not_text->found_in(v.bytes));
}

bool surroundings_hold(const Condition& c, const SiteView& v) {
  const auto in_file = [&](const std::string& part) { return v.text.has(part); };
  const auto before_site = [&](const std::string& part) { return v.text.first(part) < v.site.span.begin; };
  const std::string_view text = v.text.view();
  const std::string_view after = text.substr(std::min<std::size_t>(v.site.span.end, text.size()), kAfter);
  return (!c.after || c.after->found_in(after)) && (!c.not_after || !c.not_after->found_in(after)) &&
         (c.file_has.empty() || std::any_of(c.file_has.begin(), c.file_has.end(), in_file)) &&
         std::none_of(c.file_lacks.begin(), c.file_lacks.end(), in_file) &&
         (c.preceded_by.empty() || std::any_of(c.preceded_by.begin(), c.preceded_by.end(), before_site));
}

}  // namespace

Condition read_condition(const TomlValue& table, std::string where, FieldErrors& errors) {
  Condition out;
  if (table.members.empty()) errors.add(table.line, where + " is empty and would always hold", "give it a key");
  Fields fields(table, std::move(where), errors);
  read_place(out, fields);
  read_name_sets(out, fields);
  out.text = read_pattern(fields, "text", errors);
  out.value = read_pattern(fields, "value", errors);
  out.not_text = read_pattern(fields, "not_text", errors);
  out.not_value = read_pattern(fields, "not_value", errors);
  out.after = read_pattern(fields, "after", errors);
  out.not_after = read_pattern(fields, "not_after", errors);
  out.file_has = fields.texts("file_has");
  out.file_lacks = fields.texts("file_lacks");
  out.preceded_by = fields.texts("preceded_by");
  out.called = fields.flag("called");
  out.argument = fields.number("argument", 0, kMaxArguments);
  out.min_positional = fields.number("min_positional", 0, kMaxArguments);
  out.max_positional = fields.number("max_positional", 0, kMaxArguments);
  out.certain_name = fields.flag("certain_name");
  fields.finish();
  return out;
}

bool holds(const Condition& condition, const SiteView& view) {
  return place_holds(condition, view) && numbers_hold(condition, view.site) && names_hold(condition, view.site) &&
         keywords_hold(condition, view.site) && path_holds(condition, view.path) && patterns_hold(condition, view) &&
         surroundings_hold(condition, view);
}

}  // namespace accelport
