#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "audit/audit.h"
#include "syntax/site.h"

namespace accelport {

/// Fills an occurrence's decision from the verdict on its site: category, decision, means, confidence, reason and
/// replacement with their placeholders filled, phase and effort (derived where the rule leaves them out).
void apply_verdict(const Verdict& verdict, const Site& site, std::string_view text, FileRole roles,
                   Occurrence& occurrence);

/// A person's decision takes the rule's place; what no longer fits (means, replacement) goes.
void override_decision(Decision decision, std::string_view reason, std::string_view decided_by, Occurrence& occurrence);

/// The semantic differences of a site's API on each of the platforms; none for what is no dependency.
std::vector<Note> notes_for(const Site& site, Category category, const std::vector<const Platform*>& platforms);

/// True for what makes `audit` say "findings": port would change it, it is unsupported, or a practice rule is broken.
/// Nothing in an installed package is one.
bool is_finding(const Occurrence& occurrence);

/// True if somebody has work with it: the decisions abstract, replace, fallback and unsupported
/// outside of installed packages.
bool needs_work(const Occurrence& occurrence);

}  // namespace accelport
