#include "tf32.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/clone_ops.h>

namespace accelport::sim {
namespace {

constexpr std::uint32_t kDropped = 13;  // bits of float32's mantissa
constexpr std::uint32_t kExponent = 0x7F800000;

std::uint32_t rounded(std::uint32_t bits) {
  if ((bits & kExponent) == kExponent) return bits;
  const std::uint32_t odd = bits >> kDropped & 1;
  return (bits + (1u << (kDropped - 1)) - 1 + odd) & ~((1u << kDropped) - 1);
}

}  // namespace

at::Tensor rounded_to_tf32(const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.scalar_type() != at::kFloat || tensor.numel() == 0) return tensor;
  const at::AutoDispatchBelowADInplaceOrView below;
  at::Tensor copy = at::_ops::clone::call(tensor, std::nullopt);
  auto* const values = static_cast<std::uint32_t*>(copy.storage().mutable_data());
  for (std::size_t i = 0; i < copy.storage().nbytes() / sizeof(std::uint32_t); ++i) values[i] = rounded(values[i]);
  return copy;
}

}  // namespace accelport::sim
