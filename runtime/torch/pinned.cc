#include <cstdlib>
#include <map>
#include <mutex>

#include <ATen/core/CachingHostAllocator.h>

#include "simulator.h"

namespace accelport::sim {
namespace {

constexpr std::size_t kPage = 4096;

struct Pinned {
  std::mutex mutex;
  std::map<const char*, std::size_t> ranges;
};
Pinned& pinned() {
  static auto* const only = new Pinned;
  return *only;
}

void free_pinned(void* pointer) {
  {
    const std::lock_guard lock(pinned().mutex);
    pinned().ranges.erase(static_cast<const char*>(pointer));
  }
  std::free(pointer);
}

class PinnedMemory final : public at::HostAllocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    void* pointer = nullptr;
    if (bytes != 0) {
      TORCH_CHECK(posix_memalign(&pointer, kPage, bytes) == 0, "the machine has no memory left");
      const std::lock_guard lock(pinned().mutex);
      pinned().ranges[static_cast<const char*>(pointer)] = bytes;
    }
    return {pointer, pointer, &free_pinned, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &free_pinned; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }
  bool record_event(void*, void*, c10::Stream) override { return true; }
  void empty_cache() override {}
  at::HostStats get_stats() override { return {}; }
  void reset_accumulated_stats() override {}
  void reset_peak_stats() override {}
};

struct Registration {
  Registration() { at::setHostAllocator(kDevice, static_cast<at::HostAllocator*>(pinned_allocator())); }
} registration;

}  // namespace

at::Allocator* pinned_allocator() {
  static auto* const only = new PinnedMemory;
  return only;
}

bool is_pinned(const void* pointer) {
  const auto* const at = static_cast<const char*>(pointer);
  const std::lock_guard lock(pinned().mutex);
  auto range = pinned().ranges.upper_bound(at);
  if (range == pinned().ranges.begin()) return false;
  --range;
  return at < range->first + range->second;
}

}  // namespace accelport::sim
