#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include "simulator.h"

namespace accelport::sim {

/// What the engine knows of an operator before its first call.
struct OperatorFacts {
  std::size_t arguments = 0;
  std::size_t returns = 0;
  int generator = -1;       // which argument
  bool seeded = false;      // random without a generator argument
  bool takes_host = false;  // CPU tensors may stand among the arguments: copies and indices
  bool has_faults = false;
  const OperatorLimit* limit = nullptr;  // types of values that the card's kernel refuses …
  std::uint64_t lacking = 0;             // … as bits, by their number in torch
  std::uint64_t rounded = 0;             // arguments, as bits, that the card's kernel rounds to TF32
  std::string name, overload;
  OperatorProfile::Entry* profile = nullptr;

  OperatorFacts(const c10::OperatorHandle& op, bool on_card);
};

/// "add.Tensor" as the dispatcher names it.
c10::OperatorName operator_name(const std::string& row);

/// The fault that is due at this call of the operator, or null; raises if the fault is an error.
const Fault* due_fault(const OperatorFacts& facts, const torch::jit::Stack& stack);

/// Runs the operator's CPU kernel over the bytes of the device tensors on the stack, and makes its results, resizes and
/// views those of the device.
/// `keys` are those of the call.
void run_on_host(const c10::OperatorHandle& op, const OperatorFacts& facts, torch::jit::Stack* stack,
                 c10::DispatchKeySet keys = {});

/// `run_on_host` as a kernel that keeps its operator's facts.
class EngineKernel final : public c10::OperatorKernel {
 public:
  EngineKernel(const c10::OperatorHandle& op, bool on_card) : facts_(op, on_card) {}
  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    run_on_host(op, facts_, stack, keys);
  }

 private:
  OperatorFacts facts_;
};

}  // namespace accelport::sim
