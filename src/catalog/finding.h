#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace accelport {

/// What an occurrence depends on. The words are those of the design: the API family decides, not the purpose.
enum class Category : std::uint8_t {
  device_selection,
  visibility,
  amp_memory,
  distributed,
  package_extension,
  kernel_arch,
  docs_metadata,
  nvidia_only,
  practice,
  none,
};

/// What to do about it. `ignore` goes with Category::none only.
enum class Decision : std::uint8_t { abstract, retain, replace, fallback, unsupported, ignore };

/// How, in the order of preference.
enum class Means : std::uint8_t { null, neutral, helper, boundary, adapter, extension, fallback };

enum class Confidence : std::uint8_t { certain, likely, guess };

/// When the work is needed.
enum class Phase : std::uint8_t { inference, training, devices, tests, docs };

/// How much of it a person must do.
enum class Effort : std::uint8_t { mechanical, review, redesign };

enum class PortAction : std::uint8_t { none, rewrite, file };

inline constexpr int kCategories = 10;
inline constexpr int kDecisions = 6;
inline constexpr int kPhases = 5;
inline constexpr int kEfforts = 3;

std::string_view to_string(Category value);
std::string_view to_string(Decision value);
std::string_view to_string(Means value);  // "null" for Means::null
std::string_view to_string(Confidence value);
std::string_view to_string(Phase value);
std::string_view to_string(Effort value);
std::string_view to_string(PortAction value);

std::optional<Category> parse_category(std::string_view text);
std::optional<Decision> parse_decision(std::string_view text);
std::optional<Means> parse_means(std::string_view text);
std::optional<Confidence> parse_confidence(std::string_view text);
std::optional<Phase> parse_phase(std::string_view text);
std::optional<Effort> parse_effort(std::string_view text);
std::optional<PortAction> parse_port_action(std::string_view text);

}  // namespace accelport
