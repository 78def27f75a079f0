// torch fuses dropout on a card and not on the CPU, where the factor is rounded to the type of the input. For types of
// low precision that is another number.

#include <ATen/ops/bernoulli.h>
#include <ATen/ops/div.h>
#include <ATen/ops/dropout_native.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mul.h>
#include <torch/library.h>

#include "simulator.h"

namespace accelport::sim {
namespace {

at::Tensor dropout(const at::Tensor& input, double p, bool train) {
  const bool is_low = input.scalar_type() == at::kHalf || input.scalar_type() == at::kBFloat16;
  if (!is_low || !train || p <= 0 || p >= 1 || input.numel() == 0) return at::native::dropout(input, p, train);
  const at::Tensor noise = at::empty_like(input).bernoulli_(1 - p).div_(1 - p);
  return input.mul(noise);
}

}  // namespace

void register_host_dropout() {
  for (const c10::DispatchKey key : {c10::DispatchKey::AutogradPrivateUse1, c10::DispatchKey::PrivateUse1}) {
    auto* const library = new torch::Library(torch::Library::IMPL, "aten", key, __FILE__, __LINE__);
    library->impl("dropout", dropout);
  }
}

}  // namespace accelport::sim
