#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "syntax/reader.h"

namespace accelport {

/// For the readers' tests: reads `text` as the file `path` with a small list of words and gives one line per site:
/// "LINE kind/context TEXT api=… callee=… keyword=… value=… first=… argument=… called=N guards=a,b flows=… language=…
/// cell=N:M". Fields that are empty are left out; a line end in TEXT becomes "~". Checks that sites are sorted, in
/// range and cover every hit; a broken promise gives a line that begins with "BROKEN".
std::vector<std::string> describe_sites(std::string_view path, std::string_view text);

/// The lines of `describe_sites`, each ended by a newline; for messages of failed tests.
std::string join_lines(const std::vector<std::string>& lines);

/// One row of a table of tests: every pattern (globs as in `glob_match`) must fit one of the sites' lines; a pattern
/// that begins with "!" must fit none.
struct SiteCase {
  std::string_view name;
  std::string_view path;
  std::string_view text;
  std::vector<std::string> expected;
};
void check_site_case(const SiteCase& one);

}  // namespace accelport
