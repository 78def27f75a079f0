// Entry points that torch keeps for devices outside its tree: convolution and the choice of attention.

#include <ATen/EmptyTensor.h>
#include <ATen/core/List.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/ops/_fused_sdp_choice_ops.h>
#include <c10/core/SymIntArrayRef.h>
#include <torch/library.h>

#include "engine.h"

namespace accelport::sim {
namespace {

struct Target {
  c10::OperatorHandle op;
  OperatorFacts facts;
  explicit Target(const char* name) : op(c10::Dispatcher::singleton().findSchemaOrThrow(name, "")), facts(op, true) {}
};

void convolution(const c10::OperatorHandle&, torch::jit::Stack* stack) {
  static const Target target("aten::convolution");
  run_on_host(target.op, target.facts, stack);
}

/// The same arguments as convolution_backward, which wants the sizes of the bias behind the third.
void convolution_backward(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  static const Target target("aten::convolution_backward");
  const std::size_t first = stack->size() - op.schema().arguments().size();
  const bool wants_bias = stack->back().toBoolList()[2];
  c10::IValue bias;
  if (wants_bias) bias = c10::List<std::int64_t>({(*stack)[first].toTensor().size(1)});
  stack->insert(stack->begin() + static_cast<std::ptrdiff_t>(first) + 3, std::move(bias));
  run_on_host(target.op, target.facts, stack);
}

/// A CPU tensor that looks like `tensor`: under torch.compile the choice is asked with tensors that have no bytes.
at::Tensor shell(const at::Tensor& tensor) {
  at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), 0,
                                                         c10::DataPtr(nullptr, c10::Device(c10::kCPU)),
                                                         c10::GetAllocator(c10::kCPU), false)),
      c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
  made.unsafeGetTensorImpl()->set_sizes_and_strides(C10_AS_INTARRAYREF_SLOW(tensor.sym_sizes()),
                                                    C10_AS_INTARRAYREF_SLOW(tensor.sym_strides()), 0);
  if (tensor.requires_grad()) made.unsafeGetTensorImpl()->set_requires_grad(true);
  return made;
}

/// What torch chooses on the CPU, so that numbers can be equal to the last bit.
std::int64_t choose_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                              const std::optional<at::Tensor>& mask, double dropout, bool causal,
                              std::optional<double> scale, bool grouped) {
  const c10::impl::ExcludeDispatchKeyGuard hide(
      c10::DispatchKeySet({c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot}));
  std::optional<at::Tensor> mask_shell;
  if (mask && mask->defined()) mask_shell = shell(*mask);
  return at::_ops::_fused_sdp_choice::call(shell(query), shell(key), shell(value), mask_shell, dropout, causal, scale,
                                           grouped);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("convolution_overrideable", torch::CppFunction::makeFromBoxedFunction<&convolution>());
  m.impl("convolution_backward_overrideable", torch::CppFunction::makeFromBoxedFunction<&convolution_backward>());
  m.impl("_fused_sdp_choice", choose_attention);
}

}  // namespace

std::int64_t attention_choice(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                              const std::optional<at::Tensor>& mask, double dropout, bool causal,
                              std::optional<double> scale, bool grouped) {
  return choose_attention(query, key, value, mask, dropout, causal, scale, grouped);
}

}  // namespace accelport::sim

namespace at::native {

REGISTER_PRIVATEUSE1_DISPATCH(_fused_sdp_choice_stub, &accelport::sim::attention_choice)

}  // namespace at::native
