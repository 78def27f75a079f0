#include "simulator.h"

#include <pthread.h>

namespace accelport::sim {
namespace {

thread_local int device_now = 0;
thread_local std::int64_t streams_now[kMostDevices] = {};

void mark_child() {
  for (const auto& used : machine().used)
    if (used) machine().forked = true;
}

}  // namespace

Machine& machine() {
  static Machine* const only = [] {
    pthread_atfork(nullptr, nullptr, mark_child);
    return new Machine;  // device memory may be freed while the process ends
  }();
  return *only;
}

int current_device() { return device_now; }
void set_current_device(int device) {
  if (device >= 0) device_now = device;
}

void check_ordinal(int device) {
  TORCH_CHECK(device < machine().devices, machine().platform.messages["invalid_ordinal"]);
}

std::int64_t current_stream(int device) { return streams_now[device]; }

std::int64_t exchange_stream(int device, std::int64_t stream) { return std::exchange(streams_now[device], stream); }

void touch(int device) {
  TORCH_CHECK(!machine().forked.load(std::memory_order_relaxed), machine().platform.messages["bad_fork"]);
  machine().used[device].store(true, std::memory_order_relaxed);
}

}  // namespace accelport::sim
