#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "catalog/finding.h"
#include "syntax/language.h"

namespace accelport {

/// A person's decision in a comment: `accelport: DECISION -- reason`, on the line it is about or alone on the line
/// above.
struct OptOut {
  std::uint32_t comment_line = 0;
  std::uint32_t line = 0;  // the line that it decides
  Decision decision = Decision::ignore;
  std::string reason;
  std::string problem;  // what is wrong with the comment; then it decides nothing
};

/// All such comments of a text, in order. Markers: #, //, --, ;, %, and the inside of /* */ and <!-- -->.
std::vector<OptOut> find_opt_outs(std::string_view text, const LineTable& lines);

}  // namespace accelport
