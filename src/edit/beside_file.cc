#include "edit/beside_file.h"

#include <algorithm>

#include <fmt/core.h>

#include "syntax/file_names.h"
#include "syntax/requirement.h"

namespace accelport {
namespace {

constexpr std::string_view kPackage = "package:";
constexpr std::string_view kVariable = "env:";

std::string releases_of(const Platform& platform) {
  std::string out;
  for (const PlugInRelease& release : platform.releases) {
    if (release.package.empty()) continue;
    if (!out.empty()) out += ", ";
    out += release.package;
    if (!release.torch.empty()) out += fmt::format(" (for torch {})", release.torch);
  }
  return out;
}

std::string upper(std::string_view text) {
  std::string out;
  for (const char c : text) out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

/// An insertion before the last ending of the name.
std::string with_suffix(std::string_view name, std::string_view suffix) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::string(name) + std::string(suffix);
  return fmt::format("{}{}{}", name.substr(0, dot), suffix, name.substr(dot));
}

}  // namespace

bool is_cuda_word(std::string_view word) {
  const std::string lower = ascii_lower(word);
  return lower == "cuda" || lower == "gpu" || lower == "nvidia";
}

std::string with_platform_word(std::string_view name, std::string_view platform) {
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find_first_of("-_.", begin), name.size());
    if (is_cuda_word(name.substr(begin, end - begin)))
      return fmt::format("{}{}{}", name.substr(0, begin), platform, name.substr(end));
    begin = end + 1;
  }
  return {};
}

std::string name_beside(std::string_view name, Language language, std::string_view platform, bool in_place) {
  if (in_place)
    if (std::string renamed = with_platform_word(name, platform); !renamed.empty()) return renamed;
  if (language != Language::dockerfile) return with_suffix(name, fmt::format("-{}", platform));
  const std::string ending = ascii_lower(ending_of(name));
  const bool behind = ending != "dockerfile" && ending != "containerfile";
  return behind ? fmt::format("{}.{}", name, platform) : with_suffix(name, fmt::format(".{}", platform));
}

const Counterpart* counterpart_of(const Platform& platform, const Occurrence& occurrence) {
  const std::string_view api = occurrence.api;
  if (api.starts_with(kVariable)) return platform.find_counterpart("variable", api.substr(kVariable.size()));
  if (!api.starts_with(kPackage)) return nullptr;
  const std::string name = canonical_package(api.substr(kPackage.size()));
  const auto fits = [&](const Counterpart& c) { return c.kind == "package" && canonical_package(c.cuda) == name; };
  const auto found = std::find_if(platform.counterparts.begin(), platform.counterparts.end(), fits);
  return found == platform.counterparts.end() ? nullptr : &*found;
}

std::string reason_beside(const BesideSource& source, const Occurrence& occurrence) {
  std::string reason = occurrence.reason;
  const Platform& platform = source.platform;
  if (occurrence.api == "package:torch" && !platform.package.empty())
    return fmt::format("{}; the vendor's torch and {} take its place", reason, platform.package);
  const Counterpart* counterpart = counterpart_of(platform, occurrence);
  if (counterpart == nullptr) return reason;
  reason += fmt::format("; on {}: {}", platform.title, counterpart->target.empty() ? "none" : counterpart->target);
  if (!counterpart->note.empty()) reason += fmt::format(" ({})", counterpart->note);
  return reason;
}

std::string_view line_end_of(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end != std::string_view::npos && end > 0 && text[end - 1] == '\r' ? "\r\n" : "\n";
}

std::string source_name(std::string_view source, std::string_view target) {
  const std::string_view name = name_of(source);
  const std::string_view folder = source.substr(0, source.size() - name.size());
  const bool same = target.substr(0, target.size() - name_of(target).size()) == folder;
  return std::string(same ? name : source);
}

std::string head_beside(const BesideSource& source, std::string_view rest, std::string_view argument) {
  const Platform& platform = source.platform;
  const std::string text = beside_title(platform, source_name(source.file.path, source.target)) +
                           fill_beside(rest, {{"title", platform.title},
                                              {"name", platform.name},
                                              {"NAME", upper(platform.name)},
                                              {"source", source_name(source.file.path, source.target)},
                                              {"target", source.target},
                                              {"package", platform.package},
                                              {"releases", releases_of(platform)},
                                              {"note", platform.wheel_note},
                                              {"argument", std::string(argument)}});
  const std::string_view end = line_end_of(source.text);
  if (end == "\n") return text;
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string(end) : std::string(1, c);
  return out;
}

}  // namespace accelport
