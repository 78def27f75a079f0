#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include <c10/core/CPUAllocator.h>
#include <fmt/core.h>

#include "simulator.h"

namespace accelport::sim {
namespace {

constexpr std::size_t kAlignment = 64;
/// A kernel's own scalars lie on the host on a card, too. One that becomes a result is booked then.
constexpr std::size_t kScalarBytes = 16;
thread_local int booked_device = -1;

std::string readable(std::uint64_t bytes) {
  const double amount = static_cast<double>(bytes);
  if (bytes >= 1u << 30) return fmt::format("{:.2f} GiB", amount / (1u << 30));
  if (bytes >= 1u << 20) return fmt::format("{:.2f} MiB", amount / (1u << 20));
  return fmt::format("{:.2f} KiB", amount / 1024);
}

[[noreturn]] void refuse(const OutOfMemory& why, int device) {
  for (const std::int64_t limit : machine().faults->memory_limits())
    if (static_cast<std::int64_t>(why.allocated + MemoryPool::rounded(why.requested)) > limit)
      machine().faults->mark_out_of_memory(limit);
  const std::string text =
      filled(machine().platform.messages["out_of_memory"], {{"requested", readable(why.requested)},
                                                            {"device", std::to_string(device)},
                                                            {"capacity", readable(why.limit)},
                                                            {"free", readable(why.free)},
                                                            {"allocated", readable(why.allocated)},
                                                            {"kept", readable(why.reserved - why.allocated)}});
  TORCH_CHECK_WITH(OutOfMemoryError, false, text);
  std::abort();
}

MemoryBlock* book(int device, std::size_t bytes) {
  const auto block = machine().pools[device]->allocate(bytes, current_stream(device));
  if (!block) refuse(block.error(), device);
  return *block;
}

/// What was given out while a device's kernel ran. Lies in front of the bytes, which are freed by their address alone.
struct Booked {
  std::uintptr_t mark;  // tells it from what else may lie in front of bytes
  MemoryBlock* block;
  void* base;
  int device;
};
constexpr std::size_t kPage = 4096;
constexpr std::uintptr_t kMark = 0x5ca1ab1e0dd5eedb;
static_assert(sizeof(Booked) <= kAlignment);
c10::Allocator* cpu_allocator = nullptr;

std::uintptr_t mark_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) ^ kMark; }

/// The booking of bytes that the CPU's allocator has given out, or null. What is in front of a page may not be
/// readable: nothing that is booked begins with a page.
Booked* booked(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (address % kAlignment != 0 || address % kPage == 0) return nullptr;
  auto* const found = reinterpret_cast<Booked*>(address - kAlignment);
  return found->mark == mark_of(pointer) ? found : nullptr;
}

/// Room for the booking and the bytes; null if the machine has none left.
void* allocate_booked(std::size_t bytes, MemoryBlock* block, int device) {
  void* base = nullptr;
  if (posix_memalign(&base, kAlignment, bytes + 2 * kAlignment) != 0) return nullptr;
  std::byte* pointer = static_cast<std::byte*>(base) + kAlignment;
  if (reinterpret_cast<std::uintptr_t>(pointer) % kPage == 0) pointer += kAlignment;
  new (pointer - kAlignment) Booked{mark_of(pointer), block, base, device};
  return pointer;
}

void free_booked(void* pointer) {
  Booked* const found = booked(pointer);
  if (found == nullptr) return cpu_allocator->raw_deleter()(pointer);
  found->mark = 0;
  machine().pools[found->device]->release(found->block);
  std::free(found->base);
}

/// Stands in front of the CPU's allocator. The context must equal the pointer: oneDNN frees by the pointer alone.
class BookingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    const int device = booked_device;
    if (device < 0 || bytes <= kScalarBytes) return cpu_allocator->allocate(bytes);
    MemoryBlock* const block = book(device, bytes);
    void* const pointer = allocate_booked(bytes, block, device);
    if (pointer == nullptr) {
      machine().pools[device]->release(block);
      TORCH_CHECK(false, "the machine has no memory left for ", bytes, " bytes of the simulated card");
    }
    return {pointer, pointer, &free_booked, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &free_booked; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }
};

void copy(c10::CachingDeviceAllocator::StatArray& out, const PoolStatistic& from) {
  for (std::size_t i = 0; i < kPoolKinds; ++i) out[i] = {from[i].current, from[i].peak, from[i].added, from[i].taken};
}

class DeviceMemory final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    const int device = current_device();
    touch(device);
    const BookOn booking(device);
    c10::Storage host(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes,
                                                            c10::GetAllocator(c10::kCPU), true));
    return adopt(std::move(host), device);
  }
  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t = {0, 0}) override {
    for (const auto& pool : machine().pools) pool->empty_cache();
  }
  void recordStream(const c10::DataPtr&, c10::Stream) override {}  // waiting work holds its tensors
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override {
    const MemoryStatistics now = machine().pools.at(device)->statistics();
    c10::CachingDeviceAllocator::DeviceStats out;
    copy(out.allocation, now.blocks);
    copy(out.active, now.blocks);
    copy(out.segment, now.segments);
    copy(out.inactive_split, now.inactive_splits);
    copy(out.allocated_bytes, now.allocated_bytes);
    copy(out.active_bytes, now.allocated_bytes);
    copy(out.reserved_bytes, now.reserved_bytes);
    copy(out.inactive_split_bytes, now.inactive_split_bytes);
    copy(out.requested_bytes, now.requested_bytes);
    out.num_alloc_retries = now.retries;
    out.num_ooms = now.out_of_memory;
    out.num_device_alloc = now.segments[kAllPools].added;
    out.num_device_free = now.segments[kAllPools].taken;
    return out;
  }
  void resetAccumulatedStats(c10::DeviceIndex device) override { machine().pools.at(device)->reset_sums(); }
  void resetPeakStats(c10::DeviceIndex device) override { machine().pools.at(device)->reset_peaks(); }
  std::pair<std::size_t, std::size_t> getMemoryInfo(c10::DeviceIndex device) override {
    const MemoryPool& pool = *machine().pools.at(device);
    return {pool.limit() - pool.statistics().reserved_bytes[kAllPools].current, pool.limit()};
  }
};

struct Registration {
  Registration() {
    c10::SetAllocator(kDevice, device_allocator());
    cpu_allocator = c10::GetAllocator(c10::kCPU);
    c10::SetAllocator(c10::kCPU, new BookingAllocator, 1);
  }
} registration;

}  // namespace

BookOn::BookOn(int device) : before_(std::exchange(booked_device, device)) {}
BookOn::~BookOn() { booked_device = before_; }

c10::DeviceAllocator* device_allocator() {
  static auto* const only = new DeviceMemory;
  return only;
}

void release_bytes(void* context) {
  auto* const bytes = static_cast<DeviceBytes*>(context);
  if (bytes->block != nullptr) machine().pools[bytes->device]->release(bytes->block);
  delete bytes;
}

DeviceBytes* device_bytes(const c10::StorageImpl* storage) {
  const c10::DataPtr& data = storage->data_ptr();
  return data.get_deleter() == &release_bytes ? static_cast<DeviceBytes*>(data.get_context()) : nullptr;
}

std::uint64_t block_address(const c10::StorageImpl* storage) {
  const DeviceBytes* const bytes = device_bytes(storage);
  if (bytes == nullptr) return 0;
  if (bytes->block != nullptr) return bytes->block->address;
  const Booked* const found = booked(bytes->host.data());
  return found == nullptr ? 0 : found->block->address;
}

c10::Storage host_storage(const c10::StorageImpl* storage) {
  if (const DeviceBytes* const bytes = device_bytes(storage); bytes != nullptr) return bytes->host;
  void* const pointer = const_cast<void*>(storage->data());  // NOLINT: an alias may be written
  return c10::Storage(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), storage->nbytes(),
                                                            c10::DataPtr(pointer, c10::Device(c10::kCPU)),
                                                            c10::GetAllocator(c10::kCPU), true));
}

c10::DataPtr stale_bytes(int device, std::size_t bytes, caffe2::TypeMeta type) {
  const DeviceSwitch here(c10::Device(kDevice, static_cast<c10::DeviceIndex>(device)));
  c10::DataPtr made = device_allocator()->allocate(bytes);
  const at::ScalarType scalar = c10::typeMetaToScalarType(type);
  const bool has_nan = at::isFloatingType(scalar) || at::isComplexType(scalar);
  if (bytes != 0)
    std::memset(static_cast<DeviceBytes*>(made.get_context())->host.mutable_data(), has_nan ? 0xFF : 0, bytes);
  return made;
}

c10::DataPtr adopt(c10::Storage host, int device) {
  const bool is_booked = host.data_ptr().get_deleter() == &free_booked;
  MemoryBlock* const block = is_booked || host.nbytes() == 0 ? nullptr : book(device, host.nbytes());
  void* const pointer = host.mutable_data();
  return {pointer, new DeviceBytes{std::move(host), device, block}, &release_bytes,
          c10::Device(kDevice, static_cast<c10::DeviceIndex>(device))};
}

void readopt(c10::StorageImpl* storage, const c10::Storage& host) {
  // Host and device storage share this context: the old DataPtr must not take the host storage down with it first.
  c10::DataPtr fresh = adopt(host, storage->device().index());
  storage->set_data_ptr_noswap(std::move(fresh));
  storage->set_nbytes(host.nbytes());
}

void resize_bytes(c10::StorageImpl* storage, std::size_t bytes) {
  const DeviceSwitch here(storage->device());
  c10::DataPtr fresh = device_allocator()->allocate(bytes);
  const std::size_t kept = std::min(bytes, storage->nbytes());
  if (kept != 0) {
    c10::Storage& to = static_cast<DeviceBytes*>(fresh.get_context())->host;
    std::memcpy(to.mutable_data(), host_storage(storage).data(), kept);
  }
  storage->set_data_ptr_noswap(std::move(fresh));
  storage->set_nbytes(bytes);
}

}  // namespace accelport::sim
