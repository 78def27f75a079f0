#pragma once

#include <span>
#include <string>
#include <string_view>

#include "syntax/site.h"

namespace accelport {

/// The names that data files and reports use for the enumerations of `syntax/site.h`, in the enumeration's order. For
/// the flag enumerations the index is the number of the bit.
std::span<const std::string_view> language_names();
std::span<const std::string_view> site_kind_names();
std::span<const std::string_view> context_names();
std::span<const std::string_view> role_names();
std::span<const std::string_view> guard_names();
std::span<const std::string_view> flow_names();

std::string_view to_string(SiteKind kind);
std::string_view to_string(Context context);
/// The names of the set flags, joined with ", "; "" if there are none.
std::string to_string(FileRole roles);
std::string to_string(Guard guards);
std::string to_string(Flow flows);

/// The name among `names` that `word` was probably meant to be; "" if none is near.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names);

}  // namespace accelport
