#pragma once

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Device.h>
#include <c10/core/Storage.h>

#include "core/faults.h"
#include "core/memory_pool.h"
#include "core/operator_profile.h"
#include "core/platform_data.h"
#include "core/schedule.h"

namespace accelport::sim {

constexpr c10::DeviceType kDevice = c10::DeviceType::PrivateUse1;
constexpr int kMostDevices = 64;

/// What one process simulates. Set once, before the first use of the device.
struct Machine {
  PlatformData platform;
  int devices = 1;
  bool host_generator = true;  // device randomness draws from the CPU's default generator
  Strictness strictness = Strictness::strict;
  std::set<std::string, std::less<>> quirks;  // ids of those that are on
  std::vector<std::unique_ptr<MemoryPool>> pools;
  Schedule schedule;
  std::unique_ptr<FaultSchedule> faults = std::make_unique<FaultSchedule>();
  OperatorProfile profile;
  bool is_registered = false;  // operators have their kernels; faults must be planned before
  std::atomic<bool> in_optimizer{false};
  std::atomic<bool> tf32{true};  // the program's own flag; it has an effect only with the platform's quirk
  std::atomic<bool> used[kMostDevices] = {};
  std::atomic<bool> forked{false};  // a child of a process that had used the device
};
Machine& machine();

/// The calling thread's current device and stream.
int current_device();
void set_current_device(int device);
void check_ordinal(int device);
std::int64_t current_stream(int device);
std::int64_t exchange_stream(int device, std::int64_t stream);
/// Remembers that the device is in use; refuses in a forked child as the platform does.
void touch(int device);

class DeviceSwitch {
 public:
  explicit DeviceSwitch(std::optional<c10::Device> device) : before_(current_device()) {
    if (!device || !device->has_index()) return;
    check_ordinal(device->index());
    set_current_device(device->index());
  }
  ~DeviceSwitch() { set_current_device(before_); }
  DeviceSwitch(const DeviceSwitch&) = delete;
  DeviceSwitch& operator=(const DeviceSwitch&) = delete;

 private:
  int before_;
};

/// Context of every device DataPtr: it owns a CPU storage over the same bytes, so that aliases cost nothing.
struct DeviceBytes {
  c10::Storage host;
  int device = 0;
  MemoryBlock* block = nullptr;  // only where the bytes were not booked when the CPU allocated them
};
DeviceBytes* device_bytes(const c10::StorageImpl* storage);
/// Makes the CPU storage's bytes device memory; books them if they are not booked yet.
c10::DataPtr adopt(c10::Storage host, int device);
/// Gives a device storage other bytes behind a resize on the CPU side.
void readopt(c10::StorageImpl* storage, const c10::Storage& host);
void resize_bytes(c10::StorageImpl* storage, std::size_t bytes);
/// Where the books have a device storage, or 0 if it has no bytes.
std::uint64_t block_address(const c10::StorageImpl* storage);
/// The CPU storage over a device storage's bytes.
c10::Storage host_storage(const c10::StorageImpl* storage);
/// Fresh device memory as the card would show it before any work has written there: NaN, or zero if the type has none.
c10::DataPtr stale_bytes(int device, std::size_t bytes, caffe2::TypeMeta type);
c10::DeviceAllocator* device_allocator();
void release_bytes(void* context);

/// While it lives, what the CPU allocator gives to this thread is booked on the device.
class BookOn {
 public:
  explicit BookOn(int device);
  ~BookOn();
  BookOn(const BookOn&) = delete;
  BookOn& operator=(const BookOn&) = delete;

 private:
  int before_;
};

at::Allocator* pinned_allocator();
bool is_pinned(const void* pointer);

const at::Generator& default_generator(int device);
at::Generator new_generator(int device);
/// The seed for one random call: advances the generator's offset.
std::uint64_t next_seed(c10::GeneratorImpl* generator, int device);

/// A CPU tensor over a device tensor's bytes; any other tensor as it is.
at::Tensor host_alias(const at::Tensor& tensor);
at::Tensor view_of(const at::Tensor& base, caffe2::TypeMeta type, c10::IntArrayRef sizes, c10::IntArrayRef strides,
                   std::int64_t offset);

struct Registered {
  std::size_t count = 0;
  std::vector<std::string> skipped;
};
/// Gives each operator of the platform's table that this torch knows the engine as its kernel.
/// `host_layers`: recurrent layers are the CPU's to the last bit, else what torch composes for any card.
Registered register_operators(const std::vector<OperatorRow>& rows, bool host_layers);
void register_host_layers();
void register_host_dropout();

}  // namespace accelport::sim
