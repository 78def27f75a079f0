#include "catalog/toml.h"

#include <algorithm>
#include <tuple>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_MAX_NESTED_VALUES 64
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_UNRELEASED_FEATURES 0
#include <toml++/toml.h>

#include <fmt/core.h>

#include "base/text.h"

namespace accelport {
namespace {

constexpr std::size_t kMaxBytes = 16u << 20;
constexpr int kMaxDotsInLine = 100;
constexpr int kMaxDepth = 32;

/// The library builds and destroys nested tables recursively and sets no limit to dotted keys; a key ends with its line,
/// so a limit to the dots of a line bounds the depth.
int line_with_too_many_dots(std::string_view text) {
  int line = 1;
  int dots = 0;
  char before = '\n';
  for (const char c : text) {
    if (c == '\n') {
      ++line;
      dots = 0;
    } else if (c == '.' && before != '.' && ++dots > kMaxDotsInLine) {
      return line;
    }
    before = c;
  }
  return 0;
}

class Converter {
 public:
  explicit Converter(std::string_view text) : text_(text), lines_(text) {}

  /// False if the values are nested too deep; `failed_line` tells where.
  bool convert(const toml::node& node, TomlValue& out, int depth = 0) {
    out.line = static_cast<int>(node.source().begin.line);
    if (depth > kMaxDepth) {
      failed_line = out.line;
      return false;
    }
    if (const toml::table* table = node.as_table()) return convert_table(*table, out, depth);
    if (const toml::array* list = node.as_array()) return convert_list(*list, out, depth);
    convert_scalar(node, out);
    return true;
  }

  int failed_line = 0;

 private:
  bool convert_list(const toml::array& list, TomlValue& out, int depth) {
    out.kind = TomlValue::Kind::list;
    for (const toml::node& item : list) {
      if (!convert(item, out.items.emplace_back(), depth + 1)) return false;
    }
    return true;
  }

  bool convert_table(const toml::table& table, TomlValue& out, int depth) {
    using Row = std::tuple<unsigned, unsigned, std::string_view, const toml::node*>;
    std::vector<Row> rows;
    for (const auto& [key, node] : table) {
      const auto begin = key.source().begin;
      rows.emplace_back(begin.line, begin.column, key.str(), &node);
    }
    std::sort(rows.begin(), rows.end());
    out.kind = TomlValue::Kind::table;
    for (const auto& [line, column, key, node] : rows) {
      out.members.push_back({std::string(key), {}});
      TomlValue& value = out.members.back().value;
      if (!convert(*node, value, depth + 1)) return false;
      if (value.line == 0) value.line = static_cast<int>(line);
    }
    return true;
  }

  void convert_scalar(const toml::node& node, TomlValue& out) {
    if (const auto* text = node.as_string()) {
      out.kind = TomlValue::Kind::string;
      out.text = text->get();
      out.opens_with_newline = newline_behind_quotes(node.source().begin);
    } else if (const auto* integer = node.as_integer()) {
      out.kind = TomlValue::Kind::integer;
      out.integer = integer->get();
    } else if (const auto* number = node.as_floating_point()) {
      out.kind = TomlValue::Kind::number;
      out.number = number->get();
    } else if (const auto* boolean = node.as_boolean()) {
      out.kind = TomlValue::Kind::boolean;
      out.boolean = boolean->get();
    } else {
      out.kind = TomlValue::Kind::date;
    }
  }

  /// The library counts columns in characters, so the value's place is found from there on by its quotes.
  bool newline_behind_quotes(toml::source_position begin) const {
    if (begin.line == 0 || begin.line > lines_.count()) return false;
    std::string_view line = slice(text_, lines_.line(begin.line));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const std::string_view end = line.size() < 3 ? line : line.substr(line.size() - 3);
    if (end != "\"\"\"" && end != "'''") return false;
    std::size_t at = 0;
    for (unsigned column = 1; column < begin.column && at < line.size(); ++column) {
      do ++at;
      while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0) == 0x80);
    }
    return at + 3 == line.size() && line.substr(at) == end;
  }

  std::string_view text_;
  LineTable lines_;
};

}  // namespace

const TomlValue* TomlValue::find(std::string_view key) const {
  for (const auto& [name, value] : members) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::string_view describe(TomlValue::Kind kind) {
  switch (kind) {
    case TomlValue::Kind::string: return "a string";
    case TomlValue::Kind::integer: return "an integer";
    case TomlValue::Kind::number: return "a number";
    case TomlValue::Kind::boolean: return "true or false";
    case TomlValue::Kind::list: return "a list";
    case TomlValue::Kind::table: return "a table";
    case TomlValue::Kind::date: break;
  }
  return "a date";
}

Result<TomlValue> parse_toml(std::string_view bytes, std::string_view path) {
  if (bytes.size() > kMaxBytes) {
    return fail(Error::Kind::data, "the file is larger than 16 MiB", std::string(path), "split it");
  }
  if (const int line = line_with_too_many_dots(bytes)) {
    return fail(Error::Kind::data, fmt::format("more than {} dots in one line", kMaxDotsInLine),
                fmt::format("{}:{}", path, line), "break the line");
  }
  const toml::parse_result parsed = toml::parse(bytes);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return fail(Error::Kind::data,
                "not valid TOML: " + escape_for_display(error.description()),
                fmt::format("{}:{}", path, error.source().begin.line),
                "strings with backslashes or quotes are simplest in '''...'''");
  }
  Converter converter(bytes);
  TomlValue value;
  if (!converter.convert(parsed.table(), value)) {
    return fail(Error::Kind::data, "values are nested too deep",
                fmt::format("{}:{}", path, converter.failed_line), "no format here needs that");
  }
  return value;
}

}  // namespace accelport
