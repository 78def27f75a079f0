#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/DeviceCapability.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "fault_points.h"

namespace accelport::sim {
namespace {

constexpr std::int64_t kStreamsInPool = 32;

c10::Device with_index(c10::Device device) {
  return device.has_index() ? device : c10::Device(kDevice, static_cast<c10::DeviceIndex>(current_device()));
}

StreamKey key(const c10::Stream& stream) { return {stream.device_index(), stream.id()}; }

class Guard final : public c10::impl::DeviceGuardImplInterface {
 public:
  c10::DeviceType type() const override { return kDevice; }
  c10::Device getDevice() const override { return with_index(c10::Device(kDevice)); }
  c10::Device exchangeDevice(c10::Device device) const override {
    const c10::Device before = getDevice();
    setDevice(device);
    return before;
  }
  void setDevice(c10::Device device) const override {
    check_ordinal(device.index());
    set_current_device(device.index());
  }
  void uncheckedSetDevice(c10::Device device) const noexcept override { set_current_device(device.index()); }
  c10::DeviceIndex deviceCount() const noexcept override { return static_cast<c10::DeviceIndex>(machine().devices); }

  c10::Stream getStream(c10::Device device) const override {
    device = with_index(device);
    return c10::Stream(c10::Stream::UNSAFE, device, current_stream(device.index()));
  }
  c10::Stream getDefaultStream(c10::Device device) const override {
    return c10::Stream(c10::Stream::DEFAULT, with_index(device));
  }
  c10::Stream getNewStream(c10::Device device, int) const override {
    static std::atomic<std::int64_t> next{0};
    return c10::Stream(c10::Stream::UNSAFE, with_index(device), 1 + next++ % kStreamsInPool);
  }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override { return getNewStream(device, 0); }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    return c10::Stream(c10::Stream::UNSAFE, stream.device(), exchange_stream(stream.device_index(), stream.id()));
  }
  bool queryStream(const c10::Stream& stream) const override { return machine().schedule.query(key(stream)); }
  void synchronizeStream(const c10::Stream& stream) const override {
    if (!misses("stream.synchronize")) machine().schedule.synchronize(key(stream));
  }
  void synchronizeDevice(const c10::DeviceIndex device) const override {
    if (machine().quirks.contains("no_synchronize_device")) return DeviceGuardImplInterface::synchronizeDevice(device);
    if (!misses("device.synchronize")) machine().schedule.synchronize_device(device);
  }
  void* getStreamNativeHandle(const c10::Stream stream) const override {
    return reinterpret_cast<void*>(stream.id());  // NOLINT: an opaque handle
  }

  void record(void** event, const c10::Stream& stream, const c10::DeviceIndex, const c10::EventFlag) const override {
    if (*event == nullptr) *event = new EventMark;
    *static_cast<EventMark*>(*event) = machine().schedule.record(key(stream));
  }
  void block(void* event, const c10::Stream& stream) const override {
    if (event != nullptr && !misses("stream.wait"))
      machine().schedule.wait(key(stream), *static_cast<EventMark*>(event));
  }
  bool queryEvent(void* event) const override {
    return event == nullptr || machine().schedule.query(*static_cast<EventMark*>(event));
  }
  void synchronizeEvent(void* event) const override {
    if (event != nullptr && !misses("event.synchronize"))
      machine().schedule.synchronize(*static_cast<EventMark*>(event));
  }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override {
    delete static_cast<EventMark*>(event);
  }
  double elapsedTime(void* from, void* to, const c10::DeviceIndex) const override {
    return static_cast<EventMark*>(to)->milliseconds - static_cast<EventMark*>(from)->milliseconds;
  }
  void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream&) const override {}
  c10::DeviceCapability getDeviceCapability(c10::Device) const override { return {}; }
};

class Hooks final : public at::PrivateUse1HooksInterface {
 public:
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return machine().devices > 0; }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex device) const override {
    return default_generator(device < 0 ? current_device() : device);
  }
  at::Generator getNewGenerator(c10::DeviceIndex device) const override { return new_generator(device); }
  at::Device getDeviceFromPtr(void*) const override { return with_index(c10::Device(kDevice)); }
  bool isPinnedPtr(const void* pointer) const override { return is_pinned(pointer); }
  at::Allocator* getPinnedMemoryAllocator() const override { return pinned_allocator(); }
  bool hasPrimaryContext(c10::DeviceIndex device) const override {
    return machine().used[device < 0 ? current_device() : device];
  }
  c10::DeviceIndex deviceCount() const override { return static_cast<c10::DeviceIndex>(machine().devices); }
  void setCurrentDevice(c10::DeviceIndex device) const override {
    check_ordinal(device);
    set_current_device(device);
  }
  c10::DeviceIndex getCurrentDevice() const override { return static_cast<c10::DeviceIndex>(current_device()); }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override {
    const c10::DeviceIndex before = getCurrentDevice();
    setCurrentDevice(device);
    return before;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex device) const override { return exchangeDevice(device); }
  void resizePrivateUse1Bytes(const c10::Storage& storage, std::size_t bytes) const override {
    resize_bytes(storage.unsafeGetStorageImpl(), bytes);
  }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

struct Registration {
  Registration() { at::RegisterPrivateUse1HooksInterface(new Hooks); }
} registration;

}  // namespace
}  // namespace accelport::sim
