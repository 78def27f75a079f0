#pragma once

#include <string_view>
#include <vector>

#include "catalog/platform.h"
#include "prove/prove.h"

namespace accelport {

/// Compares a shell script (or, if `settings`, a file of lines NAME=value) before and after the port, byte by byte.
/// What the ported text may have beyond the original are variables of `platforms` set beside the one of CUDA that they
/// stand for, from the same value and in the same kind of statement, in a script that asks for none of them.
Proof prove_shell(std::string_view original, std::string_view ported, bool settings,
                  const std::vector<const Platform*>& platforms);

}  // namespace accelport
