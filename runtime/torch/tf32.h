#pragma once

#include <ATen/core/Tensor.h>

namespace accelport::sim {

/// A copy of a CPU tensor of float32 with ten bits of mantissa, rounded to nearest even; any other tensor as it is.
at::Tensor rounded_to_tf32(const at::Tensor& tensor);

}  // namespace accelport::sim
