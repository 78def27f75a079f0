#include "audit/counterparts.h"

#include <algorithm>

#include "audit/decide.h"

namespace accelport {
namespace {

constexpr std::string_view kVariable = "env:";

/// Where the line of `at` ends, and behind it the next one if only blanks or a comment follow in the first.
std::string_view neighbourhood(std::string_view text, std::uint32_t at) {
  std::size_t end = std::min(text.find('\n', at), text.size());
  const std::string_view rest = trim(text.substr(at, end - at));
  if (end < text.size() && (rest.empty() || rest.front() == '#')) end = std::min(text.find('\n', end + 1), text.size());
  return text.substr(at, end - at);
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at > 0 && is_ascii_space(text[at - 1]);
    if (begins && (end == text.size() || text[end] == '=' || is_ascii_space(text[end]))) return true;
  }
  return false;
}

/// What stands in front of a variable that is read is `NAME=` with the name of a counterpart, perhaps with a quote.
bool is_handed_over(std::string_view before, std::string_view name, const std::vector<const Platform*>& platforms) {
  if (before.ends_with('"')) before.remove_suffix(1);
  if (!before.ends_with('=')) return false;
  before.remove_suffix(1);
  return std::any_of(platforms.begin(), platforms.end(), [&](const Platform* platform) {
    const Counterpart* counterpart = platform->find_counterpart("variable", name);
    if (counterpart == nullptr || counterpart->target.empty() || !before.ends_with(counterpart->target)) return false;
    const std::size_t begin = before.size() - counterpart->target.size();
    return begin == 0 || is_ascii_space(before[begin - 1]);
  });
}

}  // namespace

void settle_counterpart(std::string_view text, const std::vector<const Platform*>& platforms, Occurrence& occurrence) {
  if (occurrence.decision != Decision::replace || !occurrence.api.starts_with(kVariable) || platforms.empty()) return;
  const std::string_view name = std::string_view(occurrence.api).substr(kVariable.size());
  if (is_handed_over(text.substr(0, occurrence.span.begin), name, platforms))
    return override_decision(Decision::retain, "its value is handed to the platform's own variable", {}, occurrence);
  if (!occurrence.counterpart) return;
  const std::string_view near = neighbourhood(text, occurrence.span.end);
  const bool settled = std::all_of(platforms.begin(), platforms.end(), [&](const Platform* platform) {
    const Counterpart* counterpart = platform->find_counterpart("variable", name);
    return counterpart != nullptr && !counterpart->target.empty() && has_word(near, counterpart->target);
  });
  if (settled) override_decision(Decision::retain, "the platform's own variable is set beside it", {}, occurrence);
}

}  // namespace accelport
