#include <ATen/EmptyTensor.h>
#include <ATen/TensorUtils.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/_local_scalar_dense_ops.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/empty_like_ops.h>
#include <ATen/ops/unfold_ops.h>
#include <ATen/ops/view_ops.h>
#include <torch/library.h>

#include "call.h"
#include "deferred.h"

namespace accelport::sim {
namespace {

using Type = std::optional<at::ScalarType>;
using Layout = std::optional<at::Layout>;
using Device = std::optional<c10::Device>;
using Flag = std::optional<bool>;

const c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

at::ScalarType or_default(Type type) { return type.value_or(at::get_default_dtype_as_scalartype()); }

at::Tensor empty(c10::IntArrayRef sizes, Type type, Layout, Device device, Flag,
                 std::optional<at::MemoryFormat> format) {
  const DeviceSwitch here(device);
  return at::detail::empty_generic(sizes, device_allocator(), kKeys, or_default(type), format);
}

at::Tensor empty_strided(c10::IntArrayRef sizes, c10::IntArrayRef strides, Type type, Layout, Device device, Flag) {
  const DeviceSwitch here(device);
  return at::detail::empty_strided_generic(sizes, strides, device_allocator(), kKeys, or_default(type));
}

/// A zero tensor has no bytes at all: an allocator that gives none keeps its key.
class NoBytes final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t) override {
    return {nullptr, c10::Device(kDevice, static_cast<c10::DeviceIndex>(current_device()))};
  }
  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void*, const void*, std::size_t) const override {}
};

at::Tensor zero_tensor(c10::IntArrayRef sizes, Type type, Layout, Device device, Flag) {
  const DeviceSwitch here(device);
  NoBytes allocator;
  const c10::DispatchKeySet keys({c10::DispatchKey::PrivateUse1, c10::DispatchKey::ZeroTensor});
  return at::detail::empty_generic(sizes, &allocator, keys, or_default(type), std::nullopt);
}

at::Tensor as_strided(const at::Tensor& self, c10::IntArrayRef sizes, c10::IntArrayRef strides,
                      std::optional<std::int64_t> offset) {
  const std::int64_t start = offset.value_or(self.storage_offset());
  const std::size_t needed = at::detail::computeStorageNbytes(sizes, strides, self.dtype().itemsize(), start);
  TORCH_CHECK(needed <= self.storage().nbytes() || self.storage().nbytes() == 0, "setStorage: sizes ", sizes,
              ", strides ", strides, ", storage offset ", start, ", and itemsize ", self.dtype().itemsize(),
              " requiring a storage size of ", needed, " are out of bounds for storage of size ",
              self.storage().nbytes());
  return view_of(self, self.dtype(), sizes, strides, start);
}

at::Tensor view(const at::Tensor& self, c10::IntArrayRef sizes) {
  const at::Tensor shape = at::_ops::view::call(host_alias(self), c10::fromIntArrayRefSlow(sizes));
  return view_of(self, self.dtype(), shape.sizes(), shape.strides(), shape.storage_offset());
}

at::Tensor view_type(const at::Tensor& self, at::ScalarType type) {
  const at::Tensor shape = at::_ops::view_dtype::call(host_alias(self), type);
  return view_of(self, shape.dtype(), shape.sizes(), shape.strides(), shape.storage_offset());
}

at::Tensor unfold(const at::Tensor& self, std::int64_t dimension, std::int64_t size, std::int64_t step) {
  const at::Tensor shape = at::_ops::unfold::call(host_alias(self), dimension, size, step);
  return view_of(self, self.dtype(), shape.sizes(), shape.strides(), shape.storage_offset());
}

at::Tensor reshape_alias(const at::Tensor& self, c10::IntArrayRef sizes, c10::IntArrayRef strides) {
  return view_of(self, self.dtype(), sizes, strides, self.storage_offset());
}

void copy_now(const at::Tensor& from, const at::Tensor& to) {
  const at::AutoDispatchBelowADInplaceOrView below;
  at::Tensor target = host_alias(to);
  at::_ops::copy_::call(target, host_alias(from), false);
}

/// A copy may wait on its stream if the caller allows it and no pageable host memory takes part, as on a card.
bool may_wait(const at::Tensor& from, const at::Tensor& to) {
  for (const at::Tensor* one : {&from, &to})
    if (one->is_cpu() && !is_pinned(one->storage().data())) return false;
  return true;
}

/// A copy between two devices orders itself behind what both have been given.
at::Tensor copy_across(const at::Tensor& from, const at::Tensor& to) {
  for (const at::Tensor* one : {&from, &to}) {
    const int device = one->device().index();
    machine().schedule.synchronize(StreamKey{device, current_stream(device)});
  }
  copy_now(from, to);
  return to;
}

/// On another stream than the default one: what the stream has written so far, in a tensor of its own.
at::Tensor as_seen(StreamKey stream, const at::Tensor& tensor) {
  return shaped(deferred_writes().copy_for(stream, tensor.storage()), tensor);
}

at::Tensor converted(const at::Tensor& value, const at::Tensor& like) {
  const at::AutoDispatchBelowADInplaceOrView below;
  at::Tensor made = at::_ops::empty_like::call(like.is_cpu() ? like : host_alias(like), {}, {}, {}, {}, {});
  at::_ops::copy_::call(made, value, false);
  return made;
}

at::Tensor copy_later(StreamKey stream, const at::Tensor& from, const at::Tensor& to) {
  if (from.is_cpu() && from.dtype() == to.dtype() && from.sizes().equals(to.sizes()))
    deferred_writes().put_copy(stream, to, from);
  else
    deferred_writes().put(stream, to, converted(from.is_cpu() ? from : as_seen(stream, from), to));
  return to;
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
  const bool both = from.device().type() == kDevice && to.device().type() == kDevice;
  if (both && from.device() != to.device()) return copy_across(from, to);
  const int device = (to.device().type() == kDevice ? to : from).device().index();
  touch(device);
  const StreamKey stream{device, current_stream(device)};
  if (stream.id != 0 && (both || (non_blocking && may_wait(from, to)))) return copy_later(stream, from, to);
  if (stream.id != 0) machine().schedule.synchronize(stream);
  if (from.device().type() == kDevice) deferred_writes().note_read(from.storage(), "aten::copy_");
  copy_now(from, to);
  return to;
}

const at::Tensor& resize(const at::Tensor& self, c10::IntArrayRef sizes, std::optional<at::MemoryFormat> format) {
  c10::TensorImpl* const impl = self.unsafeGetTensorImpl();
  const std::size_t needed =
      at::detail::computeStorageNbytesContiguous(sizes, self.dtype().itemsize(), self.storage_offset());
  if (self.storage().nbytes() < needed) resize_bytes(self.storage().unsafeGetStorageImpl(), needed);
  impl->set_sizes_contiguous(sizes);
  if (format && *format != at::MemoryFormat::Contiguous) impl->empty_tensor_restride(*format);
  return self;
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
  resize(to, from.sizes(), {});
  return copy_from(from, to, false);
}

at::Scalar local_scalar(const at::Tensor& self) {
  const int device = self.device().index();
  if (current_stream(device) != 0) machine().schedule.synchronize(StreamKey{device, current_stream(device)});
  deferred_writes().note_read(self.storage(), "aten::item");
  return at::_ops::_local_scalar_dense::call(host_alias(self));
}

at::Tensor& set_storage(at::Tensor& self, at::Storage source, std::int64_t offset, c10::IntArrayRef sizes,
                        c10::IntArrayRef strides) {
  TORCH_CHECK(source.device().type() == kDevice, "Attempted to set the storage of a tensor on device \"", self.device(),
              "\" to a storage on different device \"", source.device(), "\"");
  c10::TensorImpl* const impl = self.unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(source);
  if (strides.data() != nullptr && strides.size() == sizes.size()) {
    impl->set_sizes_and_strides(sizes, strides, offset);
  } else {
    impl->set_storage_offset(offset);
    impl->set_sizes_contiguous(sizes);
  }
  const std::size_t needed =
      at::detail::computeStorageNbytes(impl->sizes(), impl->strides(), self.dtype().itemsize(), offset);
  if (source.nbytes() < needed) {
    TORCH_CHECK(source.resizable(), "Trying to resize storage that is not resizable");
    resize_bytes(source.unsafeGetStorageImpl(), needed);
  }
  return self;
}

at::Tensor& set_whole_storage(at::Tensor& self, at::Storage source) {
  const auto count = static_cast<std::int64_t>(source.nbytes() / self.dtype().itemsize());
  return set_storage(self, std::move(source), 0, {count}, {});
}

at::Tensor& set_tensor(at::Tensor& self, const at::Tensor& source) {
  return set_storage(self, source.storage(), source.storage_offset(), source.sizes(), source.strides());
}

at::Tensor& set_empty(at::Tensor& self) {
  const DeviceSwitch here(self.device());
  c10::Storage storage(
      c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), 0, device_allocator(), true));
  return set_storage(self, std::move(storage), 0, {0}, {});
}

void record_stream(at::Tensor&, c10::Stream) {}  // waiting work holds its tensors

/// Without this, module.to() would make new parameters behind the back of an optimizer.
bool has_compatible_shallow_copy(const at::Tensor& self, const at::Tensor& other) {
  if (machine().quirks.contains("move_makes_new_parameters"))
    return self.unsafeGetTensorImpl()->has_compatible_shallow_copy_type(other.key_set());
  const auto plain = [](const at::Tensor& t) {
    return t.layout() == c10::kStrided && (t.is_cpu() || t.device().type() == kDevice) &&
           !t.key_set().has(c10::DispatchKey::Python);
  };
  return (plain(self) && plain(other)) || self.unsafeGetTensorImpl()->has_compatible_shallow_copy_type(other.key_set());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", empty_strided);
  m.impl("_efficientzerotensor", zero_tensor);
  m.impl("as_strided", as_strided);
  m.impl("view", view);
  m.impl("view.dtype", view_type);
  m.impl("unfold", unfold);
  m.impl("_reshape_alias", reshape_alias);
  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
  m.impl("resize_", resize);
  m.impl("_local_scalar_dense", local_scalar);
  m.impl("set_.source_Storage_storage_offset", set_storage);
  m.impl("set_.source_Storage", set_whole_storage);
  m.impl("set_.source_Tensor", set_tensor);
  m.impl("set_", set_empty);
  m.impl("record_stream", record_stream);
  m.impl("_has_compatible_shallow_copy_type", has_compatible_shallow_copy);
}

// A copy of a conjugated or negated tensor would resolve itself without end.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
  m.impl("_copy_from_and_resize", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
  m.impl("_copy_from_and_resize", torch::CppFunction::makeFallthrough());
}

}  // namespace
}  // namespace accelport::sim
