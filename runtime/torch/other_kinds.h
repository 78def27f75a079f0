#pragma once

#include <functional>

#include <ATen/core/Tensor.h>

namespace accelport::sim {

/// The key under which a tensor like this one stands on the device or on the CPU: plain, quantized or sparse.
c10::DispatchKey key_like(const at::Tensor& tensor, bool on_device);
/// The CPU's key for a call that came in with these keys.
c10::DispatchKey host_key(c10::DispatchKeySet keys);

/// A tensor over `storage` of the type of `like`; quantized if that is, under the same quantizer.
at::Tensor over(c10::Storage storage, const at::Tensor& like, bool on_device);

/// What becomes of each part of a sparse tensor.
using Part = std::function<at::Tensor(const at::Tensor&)>;
/// A sparse tensor in coordinates on the other side, of converted parts.
at::Tensor sparse_over(const at::Tensor& like, const Part& convert, bool on_device);
/// Gives `mine` what the operator has made of `host`.
void take_sparse(const at::Tensor& mine, const at::Tensor& host, const Part& convert);

}  // namespace accelport::sim
