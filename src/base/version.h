#pragma once

#include <string_view>

namespace accelport {

/// The version of this program, as `project(VERSION)` in CMakeLists.txt states it.
std::string_view version();

}  // namespace accelport
