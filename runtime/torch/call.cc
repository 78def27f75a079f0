#include "call.h"

#include <ATen/core/List.h>

#include "deferred.h"
#include "engine.h"
#include "other_kinds.h"

namespace accelport::sim {
namespace {

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

/// Where the platform is let off, the call counts as one of what it lacks.
void refuse_type(const at::Tensor& tensor, const OperatorFacts& facts) {
  const std::string type = c10::toString(tensor.scalar_type());
  if (machine().strictness == Strictness::strict) TORCH_CHECK(false, filled(facts.limit->message, {{"dtype", type}}));
  ++machine().profile.entry(facts.name + " of " + type, false).calls;
}

bool on_side_stream(int device) { return current_stream(device) != 0; }

bool have_same_shape(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes().equals(b.sizes()) && a.strides().equals(b.strides()) && a.storage_offset() == b.storage_offset();
}

}  // namespace

at::Tensor shaped(c10::Storage storage, const at::Tensor& like) {
  at::Tensor host = over(std::move(storage), like, false);
  host.unsafeGetTensorImpl()->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
  if (like.unsafeGetTensorImpl()->is_wrapped_number()) host.unsafeGetTensorImpl()->set_wrapped_number(true);
  copy_bits(host, like);
  return host;
}

at::Tensor view_of(const at::Tensor& base, caffe2::TypeMeta type, c10::IntArrayRef sizes, c10::IntArrayRef strides,
                   std::int64_t offset) {
  at::Tensor view = at::detail::make_tensor<c10::TensorImpl>(c10::TensorImpl::VIEW, c10::Storage(base.storage()),
                                                             base.key_set(), type);
  view.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides, offset);
  return view;
}

/// A result that shares the bytes of an argument. A quantized one under a plain argument, or the other way, has its own
/// kind of tensor over them.
at::Tensor view_on(const at::Tensor& mine, const at::Tensor& result) {
  at::Tensor view = mine.is_quantized() || result.is_quantized() ? over(c10::Storage(mine.storage()), result, true)
                                                                 : view_of(mine, result.dtype(), {}, {}, 0);
  view.unsafeGetTensorImpl()->set_sizes_and_strides(result.sizes(), result.strides(), result.storage_offset());
  copy_bits(view, result);
  return view;
}

at::Tensor host_alias(const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.device().type() != kDevice) return tensor;
  return shaped(host_storage(tensor.storage().unsafeGetStorageImpl()), tensor);
}

at::Tensor Call::to_host(const at::Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  if (tensor.device().type() != kDevice) {
    has_host_ |= tensor.is_cpu() && tensor.dim() > 0;
    return tensor;
  }
  if ((facts_.lacking >> static_cast<int>(tensor.scalar_type()) & 1) != 0) refuse_type(tensor, facts_);
  const int index = tensor.device().index();
  if (device_ < 0) device_ = index;
  if (device_ != index && tensor.dim() > 0 && !facts_.takes_host) refuse_mix(device_, index, facts_);
  for (const auto& [mine, host] : pairs_)
    if (mine.is_same(tensor)) return host;
  const auto part = [this](const at::Tensor& t) { return to_host(t); };
  at::Tensor host = tensor.is_sparse() ? sparse_over(tensor, part, false) : alias(tensor);
  pairs_.push_back({tensor, host});
  return host;
}

void Call::check_mix() const {
  if (has_host_ && !pairs_.empty() && !facts_.takes_host) refuse_mix(device_, -1, facts_);
}

at::Tensor Call::to_device(const at::Tensor& result) {
  if (!result.defined() || !result.is_cpu()) return result;
  for (const auto& [mine, host] : pairs_)
    if (host.is_same(result)) return mine;
  if (result.is_sparse())
    return sparse_over(
        result, [this](const at::Tensor& t) { return to_device(t); }, true);
  TORCH_CHECK_NOT_IMPLEMENTED(result.layout() == c10::kStrided && !result.is_nested(), "simulated: ", facts_.name,
                              " gives a tensor of a layout that is not simulated");
  for (const auto& [mine, host] : pairs_)
    if (!host.is_sparse() && host.storage().is_alias_of(result.storage())) return view_on(mine, result);
  return fresh(result);
}

at::Tensor Call::alias(const at::Tensor& tensor) {
  for (const auto& [mine, host] : pairs_)
    if (!mine.is_sparse() && mine.storage().is_alias_of(tensor.storage()))
      return shaped(c10::Storage(host.storage()), tensor);
  if (!on_side_stream(device())) {
    deferred_writes().note_read(tensor.storage(), facts_.name);
    return host_alias(tensor);
  }
  const StreamKey stream{device(), current_stream(device())};
  return shaped(deferred_writes().copy_for(stream, tensor.storage(), facts_.name), tensor);
}

at::Tensor Call::fresh(const at::Tensor& result) {
  const bool waits = on_side_stream(device());
  c10::DataPtr bytes =
      waits ? stale_bytes(device(), result.storage().nbytes(), result.dtype()) : adopt(result.storage(), device());
  c10::Storage storage(c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), result.storage().nbytes(), std::move(bytes), device_allocator(), true));
  at::Tensor made = over(std::move(storage), result, true);
  made.unsafeGetTensorImpl()->set_sizes_and_strides(result.sizes(), result.strides(), result.storage_offset());
  copy_bits(made, result);
  pairs_.push_back({made, result});  // two results that share their storage stay so
  if (waits) deferred_writes().put({device(), current_stream(device())}, made, result);
  return made;
}

void Call::take_resize(const Pair& pair) {
  if (pair.mine.is_sparse()) return take_sparse(pair.mine, pair.host, [this](const auto& t) { return to_device(t); });
  c10::StorageImpl* const storage = pair.mine.storage().unsafeGetStorageImpl();
  const c10::Storage& bytes = pair.host.storage();
  if (on_side_stream(device())) {
    if (bytes.nbytes() != storage->nbytes()) resize_bytes(storage, bytes.nbytes());
  } else if (bytes.nbytes() != storage->nbytes() || bytes.data() != host_storage(storage).data()) {
    readopt(storage, bytes);
  }
  if (!have_same_shape(pair.mine, pair.host))
    pair.mine.unsafeGetTensorImpl()->set_sizes_and_strides(pair.host.sizes(), pair.host.strides(),
                                                           pair.host.storage_offset());
}

void Call::finish() {
  for (std::size_t i = 0; i < pairs_.size(); ++i) take_resize(Pair(pairs_[i]));  // sparse ones may add their parts
  if (on_side_stream(device())) give_to_stream();
}

// The schema does not tell all that is written (running statistics of a batch norm), the bytes do.
void Call::give_to_stream() {
  const StreamKey stream{device(), current_stream(device())};
  for (const auto& [mine, host] : pairs_)
    if (!mine.is_sparse() && deferred_writes().differs(stream, mine, host)) deferred_writes().put(stream, mine, host);
}

void Call::convert_argument(c10::IValue& value) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) value = to_host(value.toTensor());
  } else if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(to_host(tensor));
    value = std::move(list);
  } else if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> list;
    for (const auto& entry : value.toOptionalTensorVector())
      list.push_back(entry && entry->defined() ? std::optional(to_host(*entry)) : std::nullopt);
    value = std::move(list);
  } else if (value.isDevice() && value.toDevice().type() == kDevice) {
    const c10::Device device = value.toDevice();
    device_ = device.has_index() ? device.index() : current_device();
    check_ordinal(device_);
    value = c10::Device(c10::kCPU);
  }
}

void Call::convert_result(c10::IValue& value) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) value = to_device(value.toTensor());
  } else if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(to_device(tensor));
    value = std::move(list);
  }
}

}  // namespace accelport::sim
