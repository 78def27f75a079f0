#include "machine/requirements_check.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "base/text.h"
#include "catalog/fields.h"
#include "catalog/pattern.h"
#include "catalog/toml.h"
#include "machine/probe_table.h"
#include "syntax/requirement.h"

namespace accelport {
namespace {

constexpr std::uint64_t kMostBytes = 4 << 20;
constexpr int kMostDepth = 16;
constexpr std::string_view kFile = "requirements.toml";

/// A kind of harm, from the knowledge.
struct Kind {
  std::string name;
  NameSet packages;              // canonical names
  std::optional<Pattern> lines;  // or whole lines: options, addresses
  std::string reason;
  std::string instead;
};

Result<std::vector<Kind>> load_kinds(const std::vector<DataFile>& data) {
  const DataFile* file = find_data_file(data, kFile);
  if (file == nullptr) return fail(Error::Kind::data, "the knowledge has no such file", std::string(kFile));
  TRY(const TomlValue toml, parse_toml(file->bytes, file->path));
  FieldErrors errors{file->path, {}};
  Fields fields(toml, "the file", errors);
  if (fields.required_text("schema") != "accelport.requirements/1") fields.error("schema", "unknown 'schema'");
  std::vector<Kind> kinds;
  for (const TomlValue* entry : fields.tables("kind")) {
    Fields row(*entry, "[[kind]]", errors);
    Kind kind;
    kind.name = row.required_text("id");
    for (std::string& name : row.texts("packages")) kind.packages.add(std::move(name));
    if (const auto lines = row.text("lines")) {
      auto pattern = Pattern::compile(*lines);
      if (!pattern) row.error("lines", pattern.error().message);
      if (pattern) kind.lines = std::move(*pattern);
    }
    kind.reason = row.required_text("reason");
    kind.instead = row.required_text("instead");
    row.finish();
    kinds.push_back(std::move(kind));
  }
  fields.finish();
  if (errors.first) return tl::unexpected(std::move(*errors.first));
  return kinds;
}

/// A requirement with its continuation lines joined, without its comment.
struct LogicalLine {
  std::uint32_t line = 1;
  std::string text;
};

/// A comment begins at "#" at the start or behind a blank.
std::string_view without_comment(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i)
    if (line[i] == '#' && (i == 0 || is_ascii_space(line[i - 1]))) return line.substr(0, i);
  return line;
}

std::vector<LogicalLine> logical_lines(std::string_view text) {
  std::vector<LogicalLine> lines;
  std::uint32_t number = 0;
  bool goes_on = false;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view body = trim(without_comment(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool continues = body.ends_with('\\');
    if (continues) body = trim(body.substr(0, body.size() - 1));
    if (!goes_on) lines.push_back({number, {}});
    if (!body.empty()) lines.back().text += (lines.back().text.empty() ? "" : " ") + std::string(body);
    goes_on = continues;
  }
  return lines;
}

/// The file behind `-r` or `-c`, or empty.
std::string included_file(std::string_view text) {
  for (const std::string_view option : {"--requirement", "--constraint", "-r", "-c"}) {
    if (!text.starts_with(option)) continue;
    std::string_view rest = text.substr(option.size());
    if (option.size() > 2 && !rest.starts_with('=') && !rest.starts_with(' ')) continue;
    if (rest.starts_with('=')) rest.remove_prefix(1);
    rest = trim(rest);
    return std::string(rest.substr(0, rest.find_first_of(" \t")));
  }
  return {};
}

class RequirementsReader {
 public:
  RequirementsReader(const Files& files, const std::vector<Kind>& kinds) : files_(files), kinds_(kinds) {}

  Result<void> read(const std::string& path) {
    typed_folder_ = path.substr(0, path.rfind('/') + 1);
    TRY(root_, files_.canonical(typed_folder_.empty() ? "." : typed_folder_));
    if (root_ != "/") root_ += '/';
    if (const auto canonical = files_.canonical(path)) seen_.insert(*canonical);
    return read_file(path, 0);
  }
  RequirementsCheck take() { return std::move(check_); }

 private:
  Result<void> read_file(const std::string& path, int depth) {
    ByteBuffer bytes;
    TRY_DO(files_.read(path, kMostBytes, bytes));
    std::string_view text = bytes.view();
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    for (const LogicalLine& line : logical_lines(text))
      if (!line.text.empty()) judge(path, line, depth);
    return {};
  }

  void judge(const std::string& path, const LogicalLine& line, int depth) {
    const std::string included = included_file(line.text);
    if (!included.empty()) return follow(path, line, included, depth);
    if (const Kind* kind = kind_of(line.text)) {
      check_.harmful.push_back({path, line.line, line.text, kind->name, kind->reason, kind->instead});
    } else if (std::find(check_.safe.begin(), check_.safe.end(), line.text) == check_.safe.end()) {
      check_.safe.push_back(line.text);
    }
  }

  const Kind* kind_of(const std::string& text) const {
    std::string_view requirement = text;
    for (const std::string_view option : {"-e ", "--editable ", "--editable="})
      if (requirement.starts_with(option)) requirement = trim(requirement.substr(option.size()));
    const std::string_view plain = trim(requirement.substr(0, requirement.find(" --")));  // without options of its own
    const std::string name = plain.starts_with('-') ? "" : parse_requirement(plain).name;
    for (const Kind& kind : kinds_) {
      if (!name.empty() && kind.packages.contains(name)) return &kind;
      if (kind.lines && kind.lines->found_in(text)) return &kind;
    }
    return nullptr;
  }

  void follow(const std::string& path, const LogicalLine& line, const std::string& included, int depth) {
    const auto problem = [&](std::string_view what) {
      check_.problems.push_back(fmt::format("{}:{}: {}: {}", path, line.line, included, what));
    };
    if (included.find("://") != std::string::npos) return problem("lies elsewhere and was not read");
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    const auto canonical = files_.canonical(included.front() == '/' ? included : folder + included);
    if (!canonical) return problem("cannot be read");
    if (!canonical->starts_with(root_)) return problem("lies outside the folder and was not read");
    if (depth >= kMostDepth) return problem("is included too deeply");
    if (!seen_.insert(*canonical).second) return;
    const std::string shown = typed_folder_ + canonical->substr(root_.size());
    if (const auto read = read_file(shown, depth + 1); !read) problem("cannot be read");
  }

  const Files& files_;
  const std::vector<Kind>& kinds_;
  RequirementsCheck check_;
  std::set<std::string> seen_;  // canonical paths
  std::string typed_folder_;    // the first file's, as it was typed, with its slash
  std::string root_;            // the same, canonical
};

}  // namespace

Result<RequirementsCheck> check_requirements(const std::string& path, const Files& files,
                                             const std::vector<DataFile>& data) {
  TRY(const std::vector<Kind> kinds, load_kinds(data));
  RequirementsReader reader(files, kinds);
  TRY_DO(reader.read(path));
  return reader.take();
}

}  // namespace accelport
