#pragma once

#include <ATen/core/stack.h>

#include "simulator.h"

namespace accelport::sim {

/// What the calling thread is at: the backward pass is a matter of the thread, the optimizer's step of the process.
Phase current_phase();

/// A hash of the values of a call's tensors and scalars: the last `arguments` of the stack.
std::uint64_t fingerprint(const torch::jit::Stack& stack, std::size_t arguments);
bool in_backward();

/// Counts a call of something that is no operator (a collective, a wait, a save) and gives the fault that is due.
const Fault* fault_at(std::string_view operation);
/// True if the wait of this name is to be left out now.
bool misses(std::string_view wait);
/// Changes one element of a tensor of floating point as the fault says.
void spoil(const at::Tensor& tensor, const Fault& fault);

/// Says on standard error, and in the file of the process's report, what has fired. The report's own text is `row`, a
/// JSON object without its last brace, so that a process that is killed has told already.
void announce_faults(const std::string& report, const std::string& row);

/// From now on the device's addresses are no addresses of the host: whoever reads there is told, and killed as by a
/// card.
void forbid_host_reads();
/// Where a device tensor's first element lies on its card.
std::uintptr_t card_address(const at::Tensor& tensor);

}  // namespace accelport::sim
