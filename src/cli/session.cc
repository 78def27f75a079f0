#include "cli/session.h"

#include <cstdio>

#include <fmt/core.h>

#include "audit/decide.h"

namespace accelport {

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void ProgressLine::operator()(std::uint64_t done, std::uint64_t total) {
  const auto now = std::chrono::steady_clock::now();
  if (!on_ || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  shown_ = true;
  std::fputs(fmt::format("\r{} of {} files\x1b[K", done, total).c_str(), stderr);
}

void apply_rule_settings(const Config& config, Audit& audit) {
  for (const Config::RuleSetting& setting : config.rules)
    for (AuditedFile& file : audit.files)
      for (Occurrence& occurrence : file.occurrences)
        if (occurrence.rule != nullptr && occurrence.rule->id == setting.rule && occurrence.decided_by.empty())
          override_decision(setting.decision, setting.reason, "accelport.toml", occurrence);
}

Result<void> check_rule_settings(const Config& config, const Catalog& catalog) {
  for (const Config::RuleSetting& setting : config.rules)
    if (catalog.find_rule(setting.rule) == nullptr)
      return fail(Error::Kind::data, fmt::format("there is no rule '{}'", setting.rule), "accelport.toml",
                  "docs/rules.md lists the rules, `explain PATH:LINE` names those of a line");
  return {};
}

}  // namespace accelport
