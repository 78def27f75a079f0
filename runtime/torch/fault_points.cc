#include "fault_points.h"

#include <bit>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <limits>

#include <fmt/core.h>
#include <sys/mman.h>
#include <torch/csrc/autograd/graph_task.h>
#include <unistd.h>

#include "base/json_text.h"

namespace accelport::sim {
namespace {

constexpr std::uint64_t kCardSpace = std::uint64_t{1} << 42;  // bytes of addresses for all cards, none of them memory
std::uintptr_t card_space = 0;

std::string quoted_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    if (!text.empty()) text += ", ";
    append_json_string(text, line);
  }
  return text;
}

void write_report(const std::string& path, const std::string& row) {
  const std::string partial = path + ".partial";
  std::ofstream(partial, std::ios::trunc)
      << row << ", \"faults\": [" << quoted_lines(machine().faults->summary()) << "]}";
  std::rename(partial.c_str(), path.c_str());
}

/// The process dies as it would with a card: by the signal.
void on_bad_address(int signal, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);  // NOLINT: an address is what it is about
  if (address >= card_space && address < card_space + kCardSpace) {
    fmt::print(stderr, "accelport: simulated: the host has read or written device memory (address {:#x})\n", address);
    machine().faults->mark(FaultKind::host_read);
  }
  std::signal(signal, SIG_DFL);  // the instruction is tried again
}

/// FNV-1a.
struct Fingerprint {
  std::uint64_t value = 0xcbf29ce484222325U;

  void add(std::uint64_t number) { value = (value ^ number) * 0x100000001b3U; }
  void add(const at::Tensor& tensor) {
    if (!tensor.defined()) return;
    const at::Tensor host = host_alias(tensor);
    if (!host.defined() || host.layout() != at::kStrided) return;
    for (const std::int64_t size : host.sizes()) add(static_cast<std::uint64_t>(size));
    const at::Tensor dense = host.contiguous();
    const auto* const bytes = static_cast<const unsigned char*>(dense.data_ptr());
    for (std::size_t i = 0; i < dense.nbytes(); ++i) add(std::uint64_t{bytes[i]});
  }
  void add(const c10::IValue& given) {
    if (given.isTensor()) return add(given.toTensor());
    if (given.isInt()) return add(static_cast<std::uint64_t>(given.toInt()));
    if (given.isDouble()) return add(std::bit_cast<std::uint64_t>(given.toDouble()));
    if (given.isTensorList())
      for (const at::Tensor& tensor : given.toTensorVector()) add(tensor);
  }
};

}  // namespace

std::uint64_t fingerprint(const torch::jit::Stack& stack, std::size_t arguments) {
  const at::AutoDispatchBelowADInplaceOrView below;
  Fingerprint print;
  for (std::size_t i = stack.size() - arguments; i < stack.size(); ++i) print.add(stack[i]);
  return print.value;
}

bool in_backward() { return torch::autograd::get_current_graph_task_id() != -1; }

Phase current_phase() {
  if (in_backward()) return Phase::backward;
  return machine().in_optimizer ? Phase::optimizer : Phase::forward;
}

const Fault* fault_at(std::string_view operation) {
  if (machine().faults->empty()) return nullptr;
  return machine().faults->on_call(operation, "", current_phase());
}

bool misses(std::string_view wait) { return fault_at(wait) != nullptr; }

void spoil(const at::Tensor& device_tensor, const Fault& fault) {
  const at::Tensor tensor = host_alias(device_tensor);
  if (!tensor.defined() || tensor.numel() == 0 || !tensor.is_floating_point()) return;
  const at::Tensor element = tensor.as_strided({tensor.numel()}, {1})[fault.element % tensor.numel()];
  if (fault.kind == FaultKind::nan)
    element.fill_(std::numeric_limits<double>::quiet_NaN());
  else if (fault.kind == FaultKind::inf)
    element.fill_(std::numeric_limits<double>::infinity());
  else
    element.fill_(element.item<double>() * 1.5 + 1.0);
}

void announce_faults(const std::string& report, const std::string& row) {
  machine().faults->listen([report, row](const std::string& line) {
    fmt::print(stderr, "accelport: simulated: fault fired: {}\n", line);
    if (!report.empty()) write_report(report, row);
  });
}

void forbid_host_reads() {
  void* const space = mmap(nullptr, kCardSpace, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TORCH_CHECK(space != MAP_FAILED, "no address space for the simulated cards");
  card_space = reinterpret_cast<std::uintptr_t>(space);  // NOLINT
  struct sigaction action {};
  action.sa_sigaction = &on_bad_address;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
}

std::uintptr_t card_address(const at::Tensor& tensor) {
  const std::uint64_t block = block_address(tensor.storage().unsafeGetStorageImpl());
  if (block == 0) return 0;
  const std::uint64_t offset = block + static_cast<std::uint64_t>(tensor.storage_offset()) * tensor.dtype().itemsize();
  const auto device = static_cast<std::uint64_t>(tensor.device().index());
  return card_space + (device * (kCardSpace / kMostDevices) + offset) % kCardSpace;
}

}  // namespace accelport::sim
