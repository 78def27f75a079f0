#include "engine.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/List.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/SmallVector.h>
#include <torch/csrc/autograd/graph_task.h>

#include "simulator.h"

namespace accelport::sim {
namespace {

const c10::DispatchKeySet kHostKeys(c10::DispatchKey::CPU);
const c10::DispatchKeySet kDeviceKeys(c10::DispatchKey::PrivateUse1);

void copy_bits(const at::Tensor& to, const at::Tensor& from) {
  if (to.is_conj() != from.is_conj()) to.unsafeGetTensorImpl()->_set_conj(from.is_conj());
  if (to.is_neg() != from.is_neg()) to.unsafeGetTensorImpl()->_set_neg(from.is_neg());
}

std::string device_name(int index) {
  return index < 0 ? "cpu" : machine().platform.device_type + ":" + std::to_string(index);
}

[[noreturn]] void refuse_mix(int one, int other, const OperatorFacts& facts) {
  TORCH_CHECK(false, "Expected all tensors to be on the same device, but found at least two devices, ",
              device_name(one), " and ", device_name(other), "! (when checking arguments of ", facts.name, ")");
  std::abort();
}

/// The tensors of one call: each device tensor with the CPU tensor over its bytes.
class Call {
 public:
  explicit Call(const OperatorFacts& facts) : facts_(facts) {}

  int device = -1;

  at::Tensor to_host(const at::Tensor& tensor) {
    if (!tensor.defined()) return tensor;
    if (tensor.device().type() != kDevice) {
      has_host_ |= tensor.is_cpu() && tensor.dim() > 0;
      return tensor;
    }
    const int index = tensor.device().index();
    if (device < 0) device = index;
    if (device != index) {
      if (tensor.dim() > 0 && !facts_.takes_host) refuse_mix(device, index, facts_);
    }
    for (const auto& [mine, host] : pairs_)
      if (mine.is_same(tensor)) return host;
    at::Tensor host = alias(tensor);
    pairs_.emplace_back(tensor, host);
    return host;
  }

  void check_mix() const {
    if (has_host_ && !pairs_.empty() && !facts_.takes_host) refuse_mix(device, -1, facts_);
  }

  at::Tensor to_device(const at::Tensor& result) {
    if (!result.defined() || !result.is_cpu() || !result.has_storage()) return result;
    for (const auto& [mine, host] : pairs_)
      if (host.is_same(result)) return mine;
    for (const auto& [mine, host] : pairs_) {
      if (!host.storage().is_alias_of(result.storage())) continue;
      at::Tensor view = view_of(mine, result.dtype(), result.sizes(), result.strides(), result.storage_offset());
      copy_bits(view, result);
      return view;
    }
    return fresh(result);
  }

  /// What the CPU kernel resized goes back to the device's tensors.
  void finish() {
    for (const auto& [mine, host] : pairs_) {
      c10::StorageImpl* const storage = mine.storage().unsafeGetStorageImpl();
      const c10::Storage& bytes = host.storage();
      if (bytes.data() != storage->data() || bytes.nbytes() != storage->nbytes()) readopt(storage, bytes);
      if (!mine.sizes().equals(host.sizes()) || !mine.strides().equals(host.strides()) ||
          mine.storage_offset() != host.storage_offset())
        mine.unsafeGetTensorImpl()->set_sizes_and_strides(host.sizes(), host.strides(), host.storage_offset());
    }
  }

 private:
  at::Tensor alias(const at::Tensor& tensor) {
    for (const auto& [mine, host] : pairs_)
      if (mine.storage().is_alias_of(tensor.storage())) return shaped(c10::Storage(host.storage()), tensor);
    return host_alias(tensor);
  }

  static at::Tensor shaped(c10::Storage storage, const at::Tensor& like) {
    at::Tensor host = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), kHostKeys, like.dtype());
    host.unsafeGetTensorImpl()->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
    if (like.unsafeGetTensorImpl()->is_wrapped_number()) host.unsafeGetTensorImpl()->set_wrapped_number(true);
    copy_bits(host, like);
    return host;
  }

  at::Tensor fresh(const at::Tensor& result) {
    const int index = device < 0 ? current_device() : device;
    c10::Storage storage(
        c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), result.storage().nbytes(),
                                              adopt(result.storage(), index), device_allocator(), true));
    at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), kDeviceKeys, result.dtype());
    made.unsafeGetTensorImpl()->set_sizes_and_strides(result.sizes(), result.strides(), result.storage_offset());
    copy_bits(made, result);
    pairs_.emplace_back(made, result);  // two results that share their storage stay so
    return made;
  }

  const OperatorFacts& facts_;
  c10::SmallVector<std::pair<at::Tensor, at::Tensor>, 8> pairs_;
  bool has_host_ = false;
};

void convert_argument(c10::IValue& value, Call& call) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) value = call.to_host(value.toTensor());
  } else if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(call.to_host(tensor));
    value = std::move(list);
  } else if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> list;
    for (const auto& entry : value.toOptionalTensorVector())
      list.push_back(entry && entry->defined() ? std::optional(call.to_host(*entry)) : std::nullopt);
    value = std::move(list);
  } else if (value.isDevice() && value.toDevice().type() == kDevice) {
    const c10::Device device = value.toDevice();
    call.device = device.has_index() ? device.index() : current_device();
    check_ordinal(call.device);
    value = c10::Device(c10::kCPU);
  }
}

void convert_result(c10::IValue& value, Call& call) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) value = call.to_device(value.toTensor());
  } else if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(call.to_device(tensor));
    value = std::move(list);
  }
}

/// Gives the CPU's default generator another seed while it lives.
class Reseeded {
 public:
  explicit Reseeded(std::uint64_t seed) : generator_(at::detail::getDefaultCPUGenerator()) {
    const std::lock_guard lock(generator_.mutex());
    before_ = generator_.clone();
    generator_.set_current_seed(seed);
  }
  ~Reseeded() {
    const std::lock_guard lock(generator_.mutex());
    generator_.set_state(before_.get_state());
  }
  Reseeded(const Reseeded&) = delete;
  Reseeded& operator=(const Reseeded&) = delete;

 private:
  at::Generator generator_;
  at::Generator before_;
};

void redispatch_random(const c10::OperatorHandle& op, const OperatorFacts& facts, int device,
                       torch::jit::Stack* stack) {
  c10::GeneratorImpl* given = nullptr;
  c10::IValue* argument = nullptr;
  if (facts.generator >= 0) {
    argument = &(*stack)[stack->size() - facts.arguments + facts.generator];
    if (!argument->isNone()) {
      const at::Generator generator = argument->toGenerator();
      TORCH_CHECK(generator.device().type() == kDevice, "Expected a '", machine().platform.device_type,
                  "' device type for generator but found '", generator.device().type(), "'");
      given = generator.unsafeGetGeneratorImpl();
    }
  }
  if (given == nullptr && machine().host_generator) return op.redispatchBoxed(kHostKeys, stack);
  const std::uint64_t seed = next_seed(given, device < 0 ? current_device() : device);
  if (argument != nullptr) {
    *argument = at::detail::createCPUGenerator(seed);
    return op.redispatchBoxed(kHostKeys, stack);
  }
  const Reseeded reseeded(seed);
  op.redispatchBoxed(kHostKeys, stack);
}

Phase current_phase() {
  if (torch::autograd::get_current_graph_task_id() != -1) return Phase::backward;
  return machine().in_optimizer ? Phase::optimizer : Phase::forward;
}

void spoil(const at::Tensor& device_tensor, const Fault& fault) {
  const at::Tensor tensor = host_alias(device_tensor);
  if (!tensor.defined() || tensor.numel() == 0 || !tensor.is_floating_point()) return;
  const at::Tensor element = tensor.flatten()[fault.element % tensor.numel()];
  const double value = element.item<double>();
  at::Tensor flat = tensor.as_strided({tensor.numel()}, {1});
  switch (fault.kind) {
    case FaultKind::nan:
      flat[fault.element % tensor.numel()].fill_(std::numeric_limits<double>::quiet_NaN());
      break;
    case FaultKind::inf:
      flat[fault.element % tensor.numel()].fill_(std::numeric_limits<double>::infinity());
      break;
    default:
      flat[fault.element % tensor.numel()].fill_(value * 1.5 + 1.0);
  }
}

void apply_fault(const Fault& fault, const OperatorFacts& facts, torch::jit::Stack* stack) {
  for (std::size_t i = stack->size() - facts.returns; i < stack->size(); ++i) {
    const c10::IValue& value = (*stack)[i];
    if (!value.isTensor() || !value.toTensor().defined() || !value.toTensor().is_non_overlapping_and_dense()) continue;
    return spoil(value.toTensor(), fault);
  }
}

}  // namespace

OperatorFacts::OperatorFacts(const c10::OperatorHandle& op, bool on_card)
    : arguments(op.schema().arguments().size()),
      returns(op.schema().returns().size()),
      seeded(op.hasTag(at::Tag::nondeterministic_seeded)),
      name(op.schema().name()),
      overload(op.schema().overload_name()) {
  for (std::size_t i = 0; i < arguments; ++i)
    if (op.schema().arguments()[i].type()->str().find("Generator") != std::string::npos)
      generator = static_cast<int>(i);
  for (const char* part : {"aten::index", "aten::_index", "aten::_unsafe_index", "aten::_unsafe_masked_index"})
    takes_host |= name.rfind(part, 0) == 0;
  takes_host |= name.find("copy") != std::string::npos;
  has_faults = machine().faults->concerns(name, overload);
  profile = &machine().profile.entry(overload.empty() ? name : name + "." + overload, on_card);
}

void run_on_host(const c10::OperatorHandle& op, const OperatorFacts& facts, torch::jit::Stack* stack) {
  facts.profile->calls.fetch_add(1, std::memory_order_relaxed);
  Call call(facts);
  for (std::size_t i = stack->size() - facts.arguments; i < stack->size(); ++i) convert_argument((*stack)[i], call);
  call.check_mix();
  const int device = call.device < 0 ? current_device() : call.device;
  if (current_stream(device) != 0) machine().schedule.synchronize(StreamKey{device, current_stream(device)});
  touch(device);

  const Fault* fault = nullptr;
  if (facts.has_faults) fault = machine().faults->on_call(facts.name, facts.overload, current_phase());
  TORCH_CHECK(fault == nullptr || fault->kind != FaultKind::error, "simulated fault: ", facts.name, " failed");
  {
    const c10::impl::ExcludeDispatchKeyGuard hide(c10::DispatchKey::TESTING_ONLY_GenericMode);
    const at::AutoDispatchBelowADInplaceOrView below;
    const BookOn booking(device);
    if (facts.generator >= 0 || facts.seeded)
      redispatch_random(op, facts, call.device, stack);
    else
      op.redispatchBoxed(kHostKeys, stack);
    call.finish();
  }
  for (std::size_t i = stack->size() - facts.returns; i < stack->size(); ++i) convert_result((*stack)[i], call);
  if (fault != nullptr) apply_fault(*fault, facts, stack);
}

at::Tensor view_of(const at::Tensor& base, caffe2::TypeMeta type, c10::IntArrayRef sizes, c10::IntArrayRef strides,
                   std::int64_t offset) {
  at::Tensor view = at::detail::make_tensor<c10::TensorImpl>(c10::TensorImpl::VIEW, c10::Storage(base.storage()),
                                                             base.key_set(), type);
  view.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides, offset);
  return view;
}

at::Tensor host_alias(const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.device().type() != kDevice) return tensor;
  c10::StorageImpl* const storage = tensor.storage().unsafeGetStorageImpl();
  const DeviceBytes* const bytes = device_bytes(storage);
  c10::Storage host;
  if (bytes != nullptr) {
    host = bytes->host;
  } else {
    host = c10::Storage(c10::make_intrusive<c10::StorageImpl>(
        c10::StorageImpl::use_byte_size_t(), storage->nbytes(),
        c10::DataPtr(storage->mutable_data(), c10::Device(c10::kCPU)), c10::GetAllocator(c10::kCPU), true));
  }
  at::Tensor alias = at::detail::make_tensor<c10::TensorImpl>(std::move(host), kHostKeys, tensor.dtype());
  alias.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) alias.unsafeGetTensorImpl()->set_wrapped_number(true);
  copy_bits(alias, tensor);
  return alias;
}

}  // namespace accelport::sim
