#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/audit.h"
#include "catalog/beside_table.h"

namespace accelport {

/// A file for CUDA that is never edited, and the platform that gets one beside it. `text` is UTF-8 without a byte order
/// mark, so that the places' spans hold in it.
struct BesideSource {
  const AuditedFile& file;
  std::string_view text;
  std::vector<const Occurrence*> bound;  // what in it is for CUDA, by position
  const Platform& platform;
  const BesideTable& table;
  std::string target;  // the path of the new file
  /// Where another file of the tree has one beside it for the same platform: the name that an inclusion in this file
  /// takes instead; "" if nothing of that file is left for the platform; nothing if the inclusion stays.
  std::function<const std::string*(std::string_view included)> included;
};

/// What stands beside it.
struct BesideText {
  std::string text;                     // empty if there is none
  std::string problem;                  // then why
  std::vector<const Occurrence*> open;  // kept for a person, under a comment
};

/// A list of packages without those for CUDA.
BesideText requirements_beside(const BesideSource& source);
/// The same for conda's environments that have an entry on each line.
BesideText environment_beside(const BesideSource& source);
/// An image that is built on one which the platform's user names.
BesideText dockerfile_beside(const BesideSource& source);

/// "requirements.txt" → "requirements-NAME.txt", "Dockerfile" → "Dockerfile.NAME", "deploy.Dockerfile" →
/// "deploy.NAME.Dockerfile"; a part of the name that says "cuda" or "gpu" gives way if `in_place`.
std::string name_beside(std::string_view name, Language language, std::string_view platform, bool in_place);

/// `word` is "cuda" or another name for cards in general.
bool is_cuda_word(std::string_view word);
/// `name` with the first part between "-", "_" and "." that is a CUDA word replaced; empty if there is none.
std::string with_platform_word(std::string_view name, std::string_view platform);

/// What the platform has for the occurrence's package or variable, or null.
const Counterpart* counterpart_of(const Platform& platform, const Occurrence& occurrence);
/// Why a line is left out or kept for a person, with what the platform has instead.
std::string reason_beside(const BesideSource& source, const Occurrence& occurrence);

/// What the new file calls the one beside which it stands: its name, or its path if it lies elsewhere.
std::string source_name(std::string_view source, std::string_view target);

/// The first lines, with the ends of lines of the source.
std::string head_beside(const BesideSource& source, std::string_view rest, std::string_view argument = {});
/// "\r\n" if the text's first line ends so.
std::string_view line_end_of(std::string_view text);

}  // namespace accelport
