#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace accelport {

/// What is known about one API on each platform.
struct ApiExplanation {
  std::string name;
  struct OnPlatform {
    const Platform* platform = nullptr;
    const ApiRow* row = nullptr;  // null: the tables do not speak of it
    std::vector<const SemanticFact*> facts;
    const Counterpart* counterpart = nullptr;  // for variables, tools and packages
  };
  std::vector<OnPlatform> platforms;
  bool known() const;
};

ApiExplanation explain_api(const Catalog& catalog, std::string_view name,
                           const std::vector<const Platform*>& platforms);

/// Names of the tables that are close to `name`, best first, at most `limit`.
std::vector<std::string> similar_apis(const Catalog& catalog, std::string_view name, std::size_t limit);

void write_api_text(const ApiExplanation& explanation, const TextStyle& style, const Sink& sink);
void write_api_json(const ApiExplanation& explanation, const Sink& sink);

void write_rule_text(const Rule& rule, const TextStyle& style, const Sink& sink);
void write_rule_json(const Rule& rule, const Sink& sink);

/// One occurrence with everything behind its decision.
void write_occurrence_text(const AuditedFile& file, const Occurrence& occurrence, const TextStyle& style,
                           const Sink& sink);

}  // namespace accelport
