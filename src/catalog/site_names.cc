#include "catalog/site_names.h"

#include <algorithm>
#include <array>
#include <vector>

namespace accelport {
namespace {

using namespace std::string_view_literals;

constexpr std::array kSiteKinds{"chain"sv,   "string"sv,   "comment"sv, "docstring"sv, "prose"sv,
                                "command"sv, "variable"sv, "entry"sv,   "directive"sv, "include"sv,
                                "macro"sv,   "kernel"sv,   "output"sv,  "text"sv};
static_assert(kSiteKinds.size() == static_cast<std::size_t>(SiteKind::text) + 1);

constexpr std::array kContexts{"none"sv,          "import_module"sv, "import_name"sv,    "import_binding"sv,
                               "argument"sv,      "keyword"sv,       "keyword_name"sv,   "parameter"sv,
                               "default_value"sv, "annotation"sv,    "assigned"sv,       "target"sv,
                               "definition"sv,    "decorator"sv,     "compared"sv,       "element"sv,
                               "key"sv,           "value"sv,         "subscript"sv,      "subscripted"sv,
                               "object"sv,        "called"sv,        "interpolated"sv,   "operand"sv,
                               "condition"sv,     "returned"sv,      "pattern"sv,        "statement"sv,
                               "set"sv,           "exported"sv,      "prefixed"sv,       "read"sv,
                               "removed"sv,       "command_name"sv,  "command_option"sv, "command_argument"sv,
                               "config_key"sv,    "config_value"sv,  "code_block"sv,     "inline_code"sv,
                               "heading"sv,       "table"sv,         "link"sv,           "other"sv};
static_assert(kContexts.size() == static_cast<std::size_t>(Context::other) + 1);
static_assert(kContexts.size() <= 64, "Condition::contexts has a bit for each");

constexpr std::array kRoles{"test"sv,          "docs"sv,         "example"sv,  "build_script"sv, "setup_py"sv,
                            "device_source"sv, "requirements"sv, "conda"sv,    "lock"sv,         "dockerfile"sv,
                            "compose"sv,       "kubernetes"sv,   "ci"sv,       "slurm"sv,        "licence"sv,
                            "changelog"sv,     "data"sv,         "vendored"sv, "generated"sv,    "tool_config"sv,
                            "shell"sv,         "notebook"sv,     "beside"sv};
static_assert(1u << (kRoles.size() - 1) == static_cast<std::uint32_t>(FileRole::beside));

constexpr std::array kGuards{"available"sv,     "unavailable"sv,    "device_type"sv,  "not_device_type"sv,
                             "nvidia"sv,        "other_platform"sv, "family"sv,       "import_guard"sv,
                             "handler"sv,       "torch_version"sv,  "option"sv,       "test_skip"sv,
                             "main_guard"sv,    "backend_name"sv,   "rank"sv,         "loop"sv,
                             "finally_block"sv, "type_checking"sv,  "preprocessor"sv, "cuda_only_source"sv};
static_assert(1u << (kGuards.size() - 1) == static_cast<std::uint32_t>(Guard::cuda_only_source));

constexpr std::array kFlows{"device"sv,     "backend"sv,       "environment"sv,    "module_name"sv,
                            "message"sv,    "path"sv,          "command"sv,        "option_name"sv,
                            "help"sv,       "source_code"sv,   "has_cpu"sv,        "has_other"sv,
                            "device_key"sv, "compared_only"sv, "attribute_name"sv, "platform_copy"sv};
static_assert(1u << (kFlows.size() - 1) == static_cast<std::uint32_t>(Flow::platform_copy));

std::string join_flags(std::uint32_t bits, std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if ((bits >> i & 1) == 0) continue;
    if (!text.empty()) text += ", ";
    text += names[i];
  }
  return text;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::span<const std::string_view> language_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (int i = 0; i <= static_cast<int>(Language::text); ++i) {
      all.push_back(to_string(static_cast<Language>(i)));
    }
    return all;
  }();
  return names;
}

std::span<const std::string_view> site_kind_names() { return kSiteKinds; }
std::span<const std::string_view> context_names() { return kContexts; }
std::span<const std::string_view> role_names() { return kRoles; }
std::span<const std::string_view> guard_names() { return kGuards; }
std::span<const std::string_view> flow_names() { return kFlows; }

std::string_view to_string(SiteKind kind) { return kSiteKinds[static_cast<std::size_t>(kind)]; }
std::string_view to_string(Context context) { return kContexts[static_cast<std::size_t>(context)]; }
std::string to_string(FileRole roles) { return join_flags(static_cast<std::uint32_t>(roles), kRoles); }
std::string to_string(Guard guards) { return join_flags(static_cast<std::uint32_t>(guards), kGuards); }
std::string to_string(Flow flows) { return join_flags(static_cast<std::uint32_t>(flows), kFlows); }

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names) {
  if (word.size() > 64) return {};
  std::string_view best;
  std::size_t limit = word.size() < 4 ? 2 : std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view name : names) {
    const std::size_t distance = edit_distance(word, name);
    if (distance >= limit) continue;
    limit = distance;
    best = name;
  }
  return best;
}

}  // namespace accelport
