#include "catalog/helper_table.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "catalog/fields.h"
#include "catalog/toml.h"

namespace accelport {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kPath = "port/helper.toml";
constexpr std::array kKinds{"literal"sv, "variable"sv, "callable"sv, "module"sv,   "value"sv,  "predicate"sv,
                            "device"sv,  "identity"sv, "keyword"sv,  "question"sv, "private"sv};
constexpr std::string_view kFrom = "from ";
constexpr std::string_view kImport = " import ";

HelperFunction read_function(const TomlValue& table, FieldErrors& errors) {
  Fields fields(table, "[[function]]", errors);
  HelperFunction function;
  function.name = fields.required_text("name");
  if (!fields.has("kind")) fields.required_text("kind");
  function.kind =
      static_cast<HelperKind>(fields.choice("kind", kKinds).value_or(static_cast<int>(HelperKind::private_)));
  const bool stands = function.kind != HelperKind::question && function.kind != HelperKind::private_ &&
                      function.kind != HelperKind::identity;
  if (fields.has("stands_for")) function.stands_for = fields.texts("stands_for");
  if (function.stands_for.empty() == stands)
    fields.error("kind", stands ? "this kind needs 'stands_for'" : "this kind has no 'stands_for'");
  for (const TomlValue* value : fields.text_values("imports", true)) function.imports.push_back(value->text);
  for (const TomlValue* value : fields.text_values("needs", true)) function.needs.push_back(value->text);
  function.source = fields.required_text("source");
  if (!function.source.starts_with(fmt::format("def {}(", function.name)))
    fields.error("source", fmt::format("the source does not define '{}'", escape_for_display(function.name)));
  fields.finish();
  return function;
}

HelperCall read_call(const TomlValue& table, FieldErrors& errors) {
  Fields fields(table, "[[call]]", errors);
  HelperCall call{fields.required_text("old"), fields.required_text("new"), fields.texts("parameters")};
  fields.finish();
  return call;
}

std::vector<std::string> read_names(const TomlValue& table, std::string_view where, FieldErrors& errors) {
  Fields fields(table, std::string(where), errors);
  std::vector<std::string> names = fields.texts("names");
  fields.finish();
  return names;
}

void read_platforms(const TomlValue& table, HelperTable& helper, FieldErrors& errors) {
  Fields fields(table, "[platforms]", errors);
  helper.platform_imports = fields.texts("imports");
  helper.before_platforms = fields.required_text("before");
  helper.after_platforms = fields.required_text("after");
  fields.finish();
}

NeutralFunction read_neutral(const TomlValue& table, FieldErrors& errors) {
  Fields fields(table, "[[neutral.function]]", errors);
  NeutralFunction out{fields.required_text("cuda"), fields.required_text("neutral"), fields.required_text("since"),
                      fields.number("arguments", 0, 1).value_or(0), fields.flag("question").value_or(false)};
  fields.required_text("source");
  fields.finish();
  return out;
}

void read_neutral_style(const TomlValue& table, NeutralTable& neutral, FieldErrors& errors) {
  Fields fields(table, "[neutral]", errors);
  neutral.device_type = fields.required_text("device_type");
  neutral.since = fields.required_text("since");
  fields.required_text("source");
  for (const TomlValue* function : fields.tables("function"))
    neutral.functions.push_back(read_neutral(*function, errors));
  for (const TomlValue* rest : fields.tables("stays")) {
    Fields inner(*rest, "[[neutral.stays]]", errors);
    neutral.rest.push_back(
        {inner.texts("cuda"), inner.required_text("reason"), inner.flag("harmless").value_or(false)});
    inner.finish();
  }
  fields.finish();
}

void read_adapter_style(const TomlValue& table, AdapterTable& adapter, FieldErrors& errors) {
  Fields fields(table, "[adapter]", errors);
  adapter.import = fields.required_text("import");
  for (std::string& name : fields.texts("standard")) adapter.standard.insert(std::move(name));
  fields.finish();
}

void check_needs(const HelperTable& helper, const TomlValue& file, FieldErrors& errors) {
  for (const HelperFunction& function : helper.functions)
    for (const std::string& need : function.needs)
      if (helper.find(need) == nullptr)
        errors.add(file.line, fmt::format("'{}' needs '{}', which is not there", function.name, need));
}

/// The functions in `used` with all that they need.
std::set<std::string> closure(const HelperTable& table, const std::set<std::string>& used) {
  std::set<std::string> all;
  std::vector<std::string> open(used.begin(), used.end());
  while (!open.empty()) {
    const HelperFunction* function = table.find(open.back());
    open.pop_back();
    if (function == nullptr || !all.insert(function->name).second) continue;
    open.insert(open.end(), function->needs.begin(), function->needs.end());
  }
  return all;
}

/// Import statements, each module once: `import a` first, then `from a import b, c`.
std::string import_block(const std::set<std::string>& statements) {
  std::string plain;
  std::vector<std::pair<std::string, std::set<std::string>>> from;
  for (const std::string& statement : statements) {
    const std::size_t middle = statement.find(kImport);
    if (!statement.starts_with(kFrom) || middle == std::string::npos) {
      plain += statement + "\n";
      continue;
    }
    const std::string module = statement.substr(kFrom.size(), middle - kFrom.size());
    if (from.empty() || from.back().first != module) from.push_back({module, {}});
    std::string_view rest = std::string_view(statement).substr(middle + kImport.size());
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      from.back().second.emplace(trim(rest.substr(0, comma)));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  for (const auto& [module, names] : from) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    plain += fmt::format("from {} import {}\n", module, list);
  }
  return plain;
}

std::string titles(const std::vector<const Platform*>& platforms) {
  std::string text;
  for (std::size_t i = 0; i < platforms.size(); ++i)
    text += (i == 0 ? "" : i + 1 == platforms.size() ? " or " : ", ") + platforms[i]->title;
  return text;
}

std::string platform_row(const Platform& platform) {
  return fmt::format("    _Platform(\"{}\", \"{}\", \"{}\", \"{}\", \"{}\", \"{}\"),\n", platform.device,
                     platform.plug_in, platform.backend, platform.visibility, platform.collective_prefix,
                     platform.activity);
}

}  // namespace

const HelperFunction* HelperTable::find(std::string_view name) const {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const HelperFunction& f) { return f.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

const NeutralFunction* NeutralTable::find(std::string_view cuda) const {
  const auto found = std::find_if(functions.begin(), functions.end(), [&](const auto& f) { return f.cuda == cuda; });
  return found == functions.end() ? nullptr : &*found;
}

const NeutralFunction* NeutralTable::find_neutral(std::string_view name) const {
  const auto found = std::find_if(functions.begin(), functions.end(), [&](const auto& f) { return f.neutral == name; });
  return found == functions.end() ? nullptr : &*found;
}

const NeutralRest* NeutralTable::find_rest(std::string_view cuda) const {
  const auto found = std::find_if(rest.begin(), rest.end(), [&](const NeutralRest& r) {
    return std::find(r.names.begin(), r.names.end(), cuda) != r.names.end();
  });
  return found == rest.end() ? nullptr : &*found;
}

Result<HelperTable> load_helper_table(const DataFile& file) {
  TRY(const TomlValue table, parse_toml(file.bytes, file.path));
  FieldErrors errors{file.path, {}};
  Fields fields(table, "the file", errors);
  if (fields.required_text("schema") != "accelport.helper/1")
    fields.error("schema", "unknown 'schema'", "accelport.helper/1");
  HelperTable helper;
  helper.names = fields.texts("names");
  if (helper.names.empty()) fields.absence("the helper has no name");
  helper.head = fields.required_text("head");
  for (const TomlValue* platforms : fields.tables("platforms")) read_platforms(*platforms, helper, errors);
  for (const TomlValue* function : fields.tables("function")) {
    helper.functions.push_back(read_function(*function, errors));
    if (helper.find(helper.functions.back().name) != &helper.functions.back())
      errors.add(function->line, fmt::format("function '{}' is there twice", helper.functions.back().name));
  }
  for (const TomlValue* call : fields.tables("call")) helper.calls.push_back(read_call(*call, errors));
  for (const TomlValue* same : fields.tables("same")) helper.same.push_back(read_names(*same, "[[same]]", errors));
  for (const TomlValue* names : fields.tables("loaded"))
    for (std::string& name : read_names(*names, "[[loaded]]", errors)) helper.loaded.insert(std::move(name));
  for (const TomlValue* names : fields.tables("present"))
    for (std::string& name : read_names(*names, "[[present]]", errors)) helper.present.insert(std::move(name));
  for (const TomlValue* neutral : fields.tables("neutral")) read_neutral_style(*neutral, helper.neutral, errors);
  for (const TomlValue* adapter : fields.tables("adapter")) read_adapter_style(*adapter, helper.adapter, errors);
  fields.finish();
  check_needs(helper, table, errors);
  if (errors.first) return tl::unexpected(std::move(*errors.first));
  return helper;
}

Result<HelperTable> embedded_helper_table() {
  const std::vector<DataFile> data = embedded_data();
  if (const DataFile* file = find_data_file(data, kPath)) return load_helper_table(*file);
  return fail(Error::Kind::data, "the program was built without the helper's table", std::string(kPath));
}

std::string render_helper(const HelperTable& table, const std::vector<const Platform*>& platforms,
                          const std::set<std::string>& used) {
  const std::set<std::string> functions = closure(table, used);
  std::set<std::string> imports(table.platform_imports.begin(), table.platform_imports.end());
  std::string body;
  for (const HelperFunction& function : table.functions) {
    if (functions.count(function.name) == 0) continue;
    imports.insert(function.imports.begin(), function.imports.end());
    body += "\n\n" + function.source;
  }
  std::string text = table.head;
  const std::string_view mark = "@titles@";
  if (const std::size_t at = text.find(mark); at != std::string::npos) text.replace(at, mark.size(), titles(platforms));
  text += "\n" + import_block(imports) + "\n\n" + table.before_platforms;
  for (const Platform* platform : platforms) text += platform_row(*platform);
  return text + table.after_platforms + body;
}

std::optional<std::set<std::string>> rendered_functions(const HelperTable& table,
                                                        const std::vector<const Platform*>& platforms,
                                                        std::string_view text) {
  std::set<std::string> functions;
  for (const HelperFunction& function : table.functions)
    if (text.find(fmt::format("\ndef {}(", function.name)) != std::string_view::npos) functions.insert(function.name);
  std::vector<std::pair<std::size_t, const Platform*>> rows;
  for (const Platform* platform : platforms)
    if (const std::size_t at = text.find(platform_row(*platform)); at != std::string_view::npos)
      rows.push_back({at, platform});
  std::sort(rows.begin(), rows.end());
  std::vector<const Platform*> chosen;
  for (const auto& [at, platform] : rows) chosen.push_back(platform);
  if (chosen.empty() || render_helper(table, chosen, functions) != text) return std::nullopt;
  return functions;
}

}  // namespace accelport
