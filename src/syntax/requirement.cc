#include "syntax/requirement.h"

namespace accelport {
namespace {

bool is_name_byte(char c) { return is_ascii_alpha(c) || is_ascii_digit(c) || c == '-' || c == '_' || c == '.'; }

/// "git+https://github.com/NVIDIA/apex.git@main" → "apex"; "./torch-2.1.0+cu118-cp310.whl" → "torch".
std::string_view name_of_address(std::string_view text) {
  const std::size_t egg = text.find("#egg=");
  if (egg != std::string_view::npos) {
    text.remove_prefix(egg + 5);
    return text.substr(0, text.find_first_of("&[ "));
  }
  text = text.substr(0, text.find_first_of("#? "));
  const std::size_t scheme = text.find("://");
  const std::size_t at = text.rfind('@');
  if (at != std::string_view::npos && scheme != std::string_view::npos && at > text.find('/', scheme + 3))
    text = text.substr(0, at);
  while (text.ends_with('/')) text.remove_suffix(1);
  std::string_view last = text.substr(text.rfind('/') + 1);
  for (const std::string_view ending : {".git", ".whl", ".zip", ".tar.gz", ".tar.bz2"}) {
    if (!last.ends_with(ending)) continue;
    last.remove_suffix(ending.size());
    return ending == ".git" ? last : last.substr(0, last.find_first_of('-'));
  }
  return text.starts_with("git+") ? last : std::string_view();
}

}  // namespace

std::string canonical_package(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const char lower = c == '_' || c == '.' ? '-' : ascii_lower(c);
    if (lower != '-' || !out.ends_with('-')) out += lower;
  }
  return out;
}

Requirement parse_requirement(std::string_view text) {
  Requirement requirement;
  text = trim(text);
  if (text.empty() || text.front() == '-') return requirement;
  const std::size_t marker = text.find(" ;") != std::string_view::npos ? text.find(" ;") + 1 : text.find(';');
  if (marker != std::string_view::npos) {
    requirement.marker = trim(text.substr(marker + 1));
    text = trim(text.substr(0, marker));
  }
  if (const std::size_t channel = text.find("::"); channel != std::string_view::npos) text.remove_prefix(channel + 2);
  std::size_t end = 0;
  while (end < text.size() && is_name_byte(text[end])) ++end;
  const std::string_view rest = text.substr(end);
  if (rest.starts_with("://") || rest.starts_with('/') || rest.starts_with('+') || text.starts_with('.') ||
      text.ends_with(".whl")) {
    requirement.name = canonical_package(name_of_address(text));
    requirement.version = text;
    return requirement;
  }
  if (end == 0 || !(is_ascii_alpha(text[0]) || is_ascii_digit(text[0]))) return requirement;
  std::string_view version = trim(rest);
  if (version.starts_with('[')) {
    const std::size_t close = version.find(']');
    if (close == std::string_view::npos) return requirement;
    requirement.extras = version.substr(1, close - 1);
    version = trim(version.substr(close + 1));
  }
  if (!version.empty() && std::string_view("=<>!~@( ^").find(version.front()) == std::string_view::npos &&
      !is_ascii_digit(version.front())) {
    return requirement;
  }
  requirement.name = canonical_package(text.substr(0, end));
  requirement.version = version.starts_with('@') ? trim(version.substr(1)) : version;
  return requirement;
}

bool describe_requirement(std::string_view text, Site& site) {
  const Requirement requirement = parse_requirement(text);
  if (requirement.name.empty()) return false;
  site.api = "package:" + requirement.name;
  site.value = std::string(requirement.version);
  return true;
}

}  // namespace accelport
