#include "audit/decide.h"

#include <algorithm>

namespace accelport {
namespace {

/// Longest text that a placeholder brings into a reason: an embedded kernel must not become one.
constexpr std::size_t kMaxFilled = 120;

std::string_view field(std::string_view name, const Site& site, std::string_view text, std::string& scratch) {
  if (name == "api") return site.api;
  if (name == "text") return slice(text, site.span);
  if (name == "value") return site.value;
  if (name == "keyword") return site.keyword;
  if (name == "callee") return site.callee;
  if (name == "first_argument") return site.first_argument;
  if (name == "argument") return scratch = std::to_string(site.argument);
  return {};
}

std::string fill(std::string_view pattern, const Site& site, std::string_view text) {
  std::string out, scratch;
  while (!pattern.empty()) {
    const std::size_t open = pattern.find('{');
    const std::size_t close = open == std::string_view::npos ? open : pattern.find('}', open);
    if (close == std::string_view::npos) break;
    out += pattern.substr(0, open);
    const std::string_view value = field(pattern.substr(open + 1, close - open - 1), site, text, scratch);
    out += value.substr(0, kMaxFilled);
    if (value.size() > kMaxFilled) out += "...";
    pattern.remove_prefix(close + 1);
  }
  return out.append(pattern);
}

Phase derive_phase(const Outcome& outcome, FileRole roles) {
  if (outcome.phase) return *outcome.phase;
  if (has(roles, FileRole::test)) return Phase::tests;
  if (outcome.category == Category::docs_metadata || has(roles, FileRole::docs)) return Phase::docs;
  if (outcome.category == Category::distributed) return Phase::devices;
  return Phase::inference;
}

Effort derive_effort(const Outcome& outcome) {
  if (outcome.effort) return *outcome.effort;
  switch (outcome.decision) {
    case Decision::unsupported:
      return Effort::redesign;
    case Decision::fallback:
      return Effort::review;
    case Decision::retain:
    case Decision::ignore:
      return Effort::mechanical;
    case Decision::abstract:
    case Decision::replace:
      break;
  }
  if (outcome.category == Category::kernel_arch) return Effort::redesign;
  return outcome.confidence == Confidence::certain ? Effort::mechanical : Effort::review;
}

/// The key or option that a value belongs to.
std::string reader_key(const Site& site) {
  return site.keyword.empty() ? site.value.substr(0, site.value.find('=')) : site.keyword;
}

}  // namespace

void apply_verdict(const Verdict& verdict, const Site& site, std::string_view text, FileRole roles,
                   Occurrence& occurrence) {
  const Outcome& outcome = *verdict.outcome;
  occurrence.rule = verdict.rule;
  occurrence.api = site.api;
  occurrence.category = outcome.category;
  occurrence.decision = outcome.decision;
  occurrence.means = outcome.means;
  occurrence.confidence = outcome.confidence;
  occurrence.phase = derive_phase(outcome, roles);
  occurrence.effort = derive_effort(outcome);
  occurrence.reason = fill(outcome.reason, site, text);
  // `if device not in ("gpu", "npu"): raise` leaves both: only what is surely another accelerator's is no member.
  const bool may_be_cuda = !has(site.guards, Guard::other_platform) || has(site.guards, Guard::device_type);
  if (may_be_cuda) occurrence.family = site.family;
  // What other people's sources and build steps put there is reported, not edited.
  if (!has(roles, FileRole::vendored) && !has(roles, FileRole::generated)) {
    const bool changes = verdict.alone != nullptr && verdict.alone->decision != Decision::retain &&
                         verdict.alone->decision != Decision::ignore;
    if (changes && occurrence.family != Site::kNoFamily && !has(site.guards, Guard::nvidia))
      occurrence.branch = verdict.alone;
    occurrence.action = outcome.action;
    occurrence.helper = outcome.helper;
    occurrence.counterpart = outcome.counterpart;
    occurrence.reader = outcome.reader;
    if (!outcome.reader.empty()) occurrence.key = reader_key(site);
    occurrence.replacement = fill(outcome.replacement, site, text);
  }
  // A resolved name is as sure as the rule; one that rests on convention or on damaged text is not.
  if (!site.certain_name && occurrence.confidence == Confidence::certain && outcome.category != Category::none)
    occurrence.confidence = Confidence::likely;
}

void override_decision(Decision decision, std::string_view reason, std::string_view decided_by,
                       Occurrence& occurrence) {
  occurrence.decided_by = decided_by;
  occurrence.reason = reason;
  occurrence.confidence = Confidence::certain;
  occurrence.branch = nullptr;
  if (decision == occurrence.decision) return;
  occurrence.decision = decision;
  occurrence.means = Means::null;
  occurrence.action = PortAction::none;
  occurrence.replacement.clear();
  occurrence.helper.clear();
  occurrence.counterpart = false;
  occurrence.reader.clear();
  if (decision == Decision::ignore) occurrence.category = Category::none;
}

std::vector<Note> notes_for(const Site& site, Category category, const std::vector<const Platform*>& platforms) {
  std::vector<Note> notes;
  if (site.api.empty() || category == Category::none) return notes;
  for (const Platform* platform : platforms)
    for (const SemanticFact* fact : platform->facts_for(site.api, site.first_argument))
      notes.push_back({platform, fact});
  return notes;
}

bool needs_work(const Occurrence& occurrence) {
  return !occurrence.installed && occurrence.decision != Decision::retain && occurrence.decision != Decision::ignore;
}

bool is_finding(const Occurrence& occurrence) {
  if (occurrence.installed) return false;
  return occurrence.action != PortAction::none || occurrence.decision == Decision::unsupported ||
         (occurrence.category == Category::practice && needs_work(occurrence));
}

}  // namespace accelport
