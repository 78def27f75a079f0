// Quantized tensors and sparse ones in coordinates.

#include "other_kinds.h"

#include <ATen/SparseTensorImpl.h>
#include <ATen/quantized/QTensorImpl.h>
#include <ATen/quantized/Quantizer.h>

#include "simulator.h"

namespace accelport::sim {
namespace {

using c10::DispatchKey;

const at::SparseTensorImpl& sparse_of(const at::Tensor& tensor) {
  return *static_cast<const at::SparseTensorImpl*>(tensor.unsafeGetTensorImpl());
}

void fill_in(at::SparseTensorImpl& to, const at::SparseTensorImpl& from, const Part& convert) {
  to.resize_(from.sparse_dim(), from.dense_dim(), from.sizes());
  to.set_indices_and_values_unsafe(convert(from.indices()), convert(from.values()));
  to.set_coalesced(from.coalesced());
}

}  // namespace

DispatchKey key_like(const at::Tensor& tensor, bool on_device) {
  if (tensor.is_quantized()) return on_device ? DispatchKey::QuantizedPrivateUse1 : DispatchKey::QuantizedCPU;
  if (tensor.is_sparse()) return on_device ? DispatchKey::SparsePrivateUse1 : DispatchKey::SparseCPU;
  return on_device ? DispatchKey::PrivateUse1 : DispatchKey::CPU;
}

DispatchKey host_key(c10::DispatchKeySet keys) {
  if (keys.has(DispatchKey::QuantizedPrivateUse1)) return DispatchKey::QuantizedCPU;
  return keys.has(DispatchKey::SparsePrivateUse1) ? DispatchKey::SparseCPU : DispatchKey::CPU;
}

at::Tensor over(c10::Storage storage, const at::Tensor& like, bool on_device) {
  const c10::DispatchKeySet keys(key_like(like, on_device));
  if (!like.is_quantized()) return at::detail::make_tensor<c10::TensorImpl>(std::move(storage), keys, like.dtype());
  return at::detail::make_tensor<at::QTensorImpl>(std::move(storage), keys, like.dtype(),
                                                  at::get_qtensorimpl(like)->quantizer());
}

at::Tensor sparse_over(const at::Tensor& like, const Part& convert, bool on_device) {
  at::Tensor made =
      at::detail::make_tensor<at::SparseTensorImpl>(c10::DispatchKeySet(key_like(like, on_device)), like.dtype());
  fill_in(*static_cast<at::SparseTensorImpl*>(made.unsafeGetTensorImpl()), sparse_of(like), convert);
  return made;
}

void take_sparse(const at::Tensor& mine, const at::Tensor& host, const Part& convert) {
  fill_in(*static_cast<at::SparseTensorImpl*>(mine.unsafeGetTensorImpl()), sparse_of(host), convert);
}

}  // namespace accelport::sim
