#include "catalog/beside_table.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "base/text.h"
#include "catalog/fields.h"
#include "catalog/toml.h"
#include "syntax/language.h"

namespace accelport {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kPath = "port/beside.toml";
constexpr std::string_view kSchema = "accelport.beside/1";
constexpr std::array kWords{"title"sv,   "name"sv,     "NAME"sv, "source"sv,  "target"sv,
                            "package"sv, "releases"sv, "note"sv, "argument"sv};

/// The placeholder that starts at `at`, with both marks; empty if there is none.
std::string_view placeholder(std::string_view text, std::size_t at) {
  const std::size_t end = text.find('@', at + 1);
  if (end == std::string_view::npos) return {};
  const std::string_view name = text.substr(at + 1, end - at - 1);
  const bool word =
      !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c == '_' || is_ascii_alpha(c); });
  return word ? text.substr(at, end - at + 1) : std::string_view();
}

std::string filled_text(Fields& fields, std::string_view key) {
  std::string text = fields.required_text(key);
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + 1)) {
    const std::string_view mark = placeholder(text, at);
    if (mark.empty()) continue;
    const std::string_view name = mark.substr(1, mark.size() - 2);
    if (std::find(kWords.begin(), kWords.end(), name) == kWords.end())
      fields.error(key, fmt::format("there is no placeholder '{}'", mark), suggestion(name, kWords));
    at += mark.size() - 1;
  }
  return text;
}

template <typename Read>
void read_part(Fields& fields, std::string_view key, FieldErrors& errors, Read read) {
  const auto tables = fields.tables(key);
  if (tables.size() != 1) return fields.absence(fmt::format("the file has no [{}]", key));
  Fields part(*tables.front(), fmt::format("[{}]", key), errors);
  read(part);
  part.finish();
}

/// One line of a text; false if it asks for something that is not known.
bool fill_line(std::string_view line, const std::vector<BesideWord>& words, std::string& out) {
  for (std::size_t i = 0; i < line.size();) {
    const std::string_view mark = line[i] == '@' ? placeholder(line, i) : std::string_view();
    if (mark.empty()) {
      out += line[i++];
      continue;
    }
    const std::string_view name = mark.substr(1, mark.size() - 2);
    const auto word = std::find_if(words.begin(), words.end(), [&](const BesideWord& w) { return w.name == name; });
    if (word == words.end() || word->value.empty()) return false;
    out += word->value;
    i += mark.size();
  }
  return true;
}

}  // namespace

Result<BesideTable> load_beside_table(const DataFile& file) {
  TRY(const TomlValue table, parse_toml(file.bytes, file.path));
  FieldErrors errors{file.path, {}};
  Fields fields(table, "the file", errors);
  const std::string schema = fields.required_text("schema");
  if (!schema.empty() && schema != kSchema)
    fields.error("schema", fmt::format("unknown 'schema' \"{}\"", escape_for_display(schema)), std::string(kSchema));
  BesideTable beside;
  read_part(fields, "requirements", errors,
            [&](Fields& part) { beside.requirements_head = filled_text(part, "head"); });
  read_part(fields, "environment", errors, [&](Fields& part) {
    beside.environment_head = filled_text(part, "head");
    beside.torch_packages = part.texts("torch_packages");
    beside.torch_reason = part.required_text("torch_reason");
  });
  read_part(fields, "dockerfile", errors, [&](Fields& part) { beside.dockerfile_head = filled_text(part, "head"); });
  read_part(fields, "pipeline", errors, [&](Fields& part) {
    beside.image = filled_text(part, "image");
    beside.runner = filled_text(part, "runner");
  });
  fields.finish();
  if (errors.first) return tl::unexpected(std::move(*errors.first));
  return beside;
}

Result<BesideTable> embedded_beside_table() {
  const std::vector<DataFile> data = embedded_data();
  if (const DataFile* file = find_data_file(data, kPath)) return load_beside_table(*file);
  return fail(Error::Kind::data, "the program was built without the texts of files beside others", std::string(kPath));
}

std::string fill_beside(std::string_view text, const std::vector<BesideWord>& words) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    std::string line;
    if (fill_line(text.substr(0, end), words, line)) out += line;
    text.remove_prefix(end);
  }
  return out;
}

std::string beside_title(const Platform& platform, std::string_view source) {
  return fmt::format("# {}{}{}, which stays as it is for CUDA.\n", platform.title, kBesideMark, source);
}

}  // namespace accelport
