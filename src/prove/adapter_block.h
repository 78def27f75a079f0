#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string_view>

#include "prove/bindings.h"

namespace accelport {

/// Tells whether a machine with CUDA alone has no module `plug_in`, and `adapter` belongs to it.
using AdapterCheck = std::function<bool(std::string_view plug_in, std::string_view adapter)>;

/// Lines of the blocks
///
///     try:
///         import plug_in
///     except ModuleNotFoundError:
///         pass
///     else:
///         import adapter
///
/// of the module's own level, which without that plug-in do nothing. A block that is written in any other way, or whose
/// names mean something else in the text, is none.
std::set<std::uint32_t> adapter_lines(const PythonText& source, Bindings& bindings, const AdapterCheck& is_adapter);

}  // namespace accelport
