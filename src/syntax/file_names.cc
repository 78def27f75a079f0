#include "syntax/file_names.h"

#include <string>

#include "base/text.h"
#include "syntax/listed.h"

namespace accelport {
namespace {

constexpr std::string_view kTemplateEndings[] = {"in",       "j2",   "jinja", "jinja2", "tmpl",    "tpl",
                                                 "template", "mako", "tera",  "dist",   "example", "sample",
                                                 "disabled", "bak",  "orig",  "default"};

}  // namespace

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view ending_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot + 1 == name.size() ? std::string_view() : name.substr(dot + 1);
}

std::string_view without_template_suffix(std::string_view name) {
  for (int round = 0; round < 3; ++round) {
    const std::string_view ending = ending_of(name);
    const bool whole = name.size() == ending.size() + 1;
    if (ending.empty() || whole || !listed(std::string_view(ascii_lower(ending)), kTemplateEndings)) break;
    name.remove_suffix(ending.size() + 1);
  }
  return name;
}

bool line_starts(std::string_view head, std::string_view key) {
  return head.starts_with(key) || head.find("\n" + std::string(key)) != std::string_view::npos;
}

bool is_licence_name(std::string_view name) {
  const std::string lower = ascii_lower(name);
  const std::string_view ending = ending_of(lower);
  if (ending == "py" || ending == "sh" || ending == "json" || ending == "yml" || ending == "yaml") return false;
  return lower.starts_with("license") || lower.starts_with("licence") || lower.starts_with("notice") ||
         lower.starts_with("copying") || lower.starts_with("copyright") ||
         lower.find("third_party_notice") != std::string::npos || lower.find("thirdpartynotice") != std::string::npos ||
         lower.find("third-party-notice") != std::string::npos || lower == "eula.txt";
}

}  // namespace accelport
