#include "catalog/finding.h"

#include <array>

#include "catalog/platform.h"

namespace accelport {
namespace {

using namespace std::string_view_literals;

constexpr std::array kCategoryNames{"device-selection"sv,  "visibility"sv,  "amp-memory"sv,    "distributed"sv,
                                    "package-extension"sv, "kernel-arch"sv, "docs-metadata"sv, "nvidia-only"sv,
                                    "practice"sv,          "none"sv};
constexpr std::array kDecisionNames{"abstract"sv, "retain"sv, "replace"sv, "fallback"sv, "unsupported"sv, "ignore"sv};
constexpr std::array kMeansNames{"null"sv,    "neutral"sv,   "helper"sv,  "boundary"sv,
                                 "adapter"sv, "extension"sv, "fallback"sv};
constexpr std::array kConfidenceNames{"certain"sv, "likely"sv, "guess"sv};
constexpr std::array kPhaseNames{"inference"sv, "training"sv, "devices"sv, "tests"sv, "docs"sv};
constexpr std::array kEffortNames{"mechanical"sv, "review"sv, "redesign"sv};
constexpr std::array kPortActionNames{"none"sv, "rewrite"sv, "file"sv};
constexpr std::array kSeverityNames{"none"sv, "silent"sv, "error"sv, "hang"sv};

static_assert(kCategoryNames.size() == kCategories && kDecisionNames.size() == kDecisions &&
              kPhaseNames.size() == kPhases && kEffortNames.size() == kEfforts);

template <typename Value, std::size_t N>
std::optional<Value> parse(const std::array<std::string_view, N>& names, std::string_view text) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == text) return static_cast<Value>(i);
  }
  return std::nullopt;
}

template <typename Value, std::size_t N>
std::string_view name(const std::array<std::string_view, N>& names, Value value) {
  return names[static_cast<std::size_t>(value)];
}

}  // namespace

std::string_view to_string(Category value) { return name(kCategoryNames, value); }
std::string_view to_string(Decision value) { return name(kDecisionNames, value); }
std::string_view to_string(Means value) { return name(kMeansNames, value); }
std::string_view to_string(Confidence value) { return name(kConfidenceNames, value); }
std::string_view to_string(Phase value) { return name(kPhaseNames, value); }
std::string_view to_string(Effort value) { return name(kEffortNames, value); }
std::string_view to_string(PortAction value) { return name(kPortActionNames, value); }
std::string_view to_string(Severity value) { return name(kSeverityNames, value); }

std::optional<Category> parse_category(std::string_view text) { return parse<Category>(kCategoryNames, text); }
std::optional<Decision> parse_decision(std::string_view text) { return parse<Decision>(kDecisionNames, text); }
std::optional<Means> parse_means(std::string_view text) { return parse<Means>(kMeansNames, text); }
std::optional<Confidence> parse_confidence(std::string_view text) { return parse<Confidence>(kConfidenceNames, text); }
std::optional<Phase> parse_phase(std::string_view text) { return parse<Phase>(kPhaseNames, text); }
std::optional<Effort> parse_effort(std::string_view text) { return parse<Effort>(kEffortNames, text); }
std::optional<PortAction> parse_port_action(std::string_view text) { return parse<PortAction>(kPortActionNames, text); }

}  // namespace accelport
