#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "audit/audit.h"

namespace accelport {

/// Where a report's bytes go, in order, piece by piece.
using Sink = std::function<void(std::string_view)>;

/// How a report for people is laid out.
struct TextStyle {
  bool colour = false;
  int width = 80;           // columns of the terminal, or of a page
  bool list_files = false;  // `--files`: which files were scanned and which were skipped, with the reason
  bool quiet = false;       // the summary only; explanations without sources and background
};

/// `accelport.audit/1`, the contract with other programs. Keys in the schema's order, arrays sorted by path and
/// position.
void write_json(const Audit& audit, const Catalog& catalog, int jobs, const Sink& sink);

/// SARIF 2.1.0: findings only; columns in UTF-16 code units, the id as partial fingerprint.
void write_sarif(const Audit& audit, const Catalog& catalog, const Sink& sink);

/// A page for a pull request or an issue.
void write_markdown(const Audit& audit, const Catalog& catalog, const Sink& sink);

/// The report for people: summary first, then by category and file.
void write_text(const Audit& audit, const Catalog& catalog, const TextStyle& style, const Sink& sink);

/// Per term what grep counts and what lies in occurrences. Returns false if any total differs.
bool write_reconciliation(const Audit& audit, const Catalog& catalog, const TextStyle& style, const Sink& sink);

}  // namespace accelport
