#pragma once

#include <string_view>

#include "syntax/site.h"

namespace accelport {

/// What a function does with one of its arguments.
struct PySink {
  Flow flow = Flow::none;
  bool passes = false;  // the call's result is the value, or is made of it
};

/// The argument at `index`, or the keyword argument `keyword` (then `index` is -1), of the function `api`.
PySink sink_of_argument(std::string_view api, int index, std::string_view keyword);

/// What a variable, parameter, attribute or key of this name holds, by common usage: `device`, `map_location`,
/// `dist_backend`.
Flow flow_of_name(std::string_view name);

/// What a string says about itself: a path, a program's source.
Flow flow_of_value(std::string_view value);

/// True for methods of strings whose result is still the text: format, lower, replace …
bool keeps_text(std::string_view method);

}  // namespace accelport
