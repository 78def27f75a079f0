#pragma once

#include <string>
#include <string_view>

namespace accelport {

/// SHA-1 of the parts, one behind the other, in lower-case hexadecimal digits. Only to name objects as git does.
std::string sha1_of(std::initializer_list<std::string_view> parts);

/// The name that git gives to a file's bytes.
std::string git_blob_name(std::string_view bytes);

}  // namespace accelport
