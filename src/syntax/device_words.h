#pragma once

#include <string_view>

#include "syntax/reader.h"

namespace accelport {

/// True if `word` (lower-case) is the device or vendor word of an accelerator other than CUDA.
bool is_other_device(std::string_view word, const ReaderFacts* facts);

/// What a condition written outside of Python asks, by the words in it: `[ -x "$(command -v nvcc)" ]`, `${BACKEND} ==
/// nccl`, `NOT CUDA_FOUND`. `none` if it says nothing about accelerators and reads no option.
Guard guard_of_condition(std::string_view condition, const ReaderFacts* facts);

/// What holds in the other branch.
Guard guard_of_else(Guard condition);

}  // namespace accelport
