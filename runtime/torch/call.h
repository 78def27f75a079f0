#pragma once

#include <ATen/core/stack.h>
#include <c10/util/SmallVector.h>

#include "simulator.h"

namespace accelport::sim {

struct OperatorFacts;

/// The tensors of one call of an operator: each device tensor with the CPU tensor that stands for it while the CPU's
/// kernel runs. On the default stream that is an alias of the same bytes. On any other stream it is a copy with all
/// that the stream has written so far; what the kernel writes into it reaches the device's bytes when the stream's turn
/// comes.
class Call {
 public:
  explicit Call(const OperatorFacts& facts) : facts_(facts) {}

  /// The device that the call runs on: that of its first device tensor or device argument, else the current one.
  int device() const { return device_ < 0 ? current_device() : device_; }
  bool has_device() const { return device_ >= 0; }

  void convert_argument(c10::IValue& value);
  /// Raises if CPU tensors stand beside the device's where the operator does not take them.
  void check_mix() const;
  /// What the CPU kernel resized or wrote goes back to the device's tensors.
  void finish();
  void convert_result(c10::IValue& value);

  at::Tensor to_host(const at::Tensor& tensor);
  at::Tensor to_device(const at::Tensor& result);

 private:
  struct Pair {
    at::Tensor mine;
    at::Tensor host;
  };

  at::Tensor alias(const at::Tensor& tensor);
  at::Tensor fresh(const at::Tensor& result);
  void take_resize(const Pair& pair);
  void give_to_stream();

  const OperatorFacts& facts_;
  c10::SmallVector<Pair, 8> pairs_;
  int device_ = -1;
  bool has_host_ = false;
};

/// A CPU tensor of another storage with the shape, the conjugate and negative bits of `like`.
at::Tensor shaped(c10::Storage storage, const at::Tensor& like);

}  // namespace accelport::sim
