#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "simulator.h"

namespace accelport::sim {

using Tensors = std::vector<at::Tensor>;
using TensorLists = std::vector<Tensors>;
using WorkPtr = c10::intrusive_ptr<c10d::Work>;

/// The tensors of one collective as the inner group sees them. A collective that its caller waits for at once works on
/// the device's own bytes. Any other works on copies, and what it has written reaches the device when somebody waits:
/// a missing wait reads the old bytes every time, and the stream that waits is the one that is ordered behind it.
class Staging {
 public:
  /// Counts the call; raises, comes late or never comes if a fault is due. `stopped` ends a rank that hangs.
  Staging(const char* name, bool waits_later, const std::atomic<bool>& stopped);

  at::Tensor in(const at::Tensor& tensor);
  at::Tensor out(const at::Tensor& tensor) { return written(tensor, false); }
  at::Tensor both(const at::Tensor& tensor) { return spoiled(written(tensor, true)); }
  Tensors in(const Tensors& tensors);
  Tensors out(const Tensors& tensors);
  Tensors both(const Tensors& tensors);
  TensorLists in(const TensorLists& lists);
  TensorLists out(const TensorLists& lists);

  /// The work that ends with the results on the device.
  WorkPtr wrap(WorkPtr inner, int rank, c10d::OpType type);

 private:
  struct Copy {
    at::Tensor mine;
    at::Tensor host;
  };
  friend class DeviceWork;

  at::Tensor written(const at::Tensor& tensor, bool reads);
  at::Tensor spoiled(at::Tensor host);
  bool needs_copy(const at::Tensor& tensor) const;

  bool waits_later_;
  const Fault* fault_;
  Tensors results_;
  std::vector<Copy> copies_;
};

}  // namespace accelport::sim
