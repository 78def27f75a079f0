#include <deque>
#include <mutex>

#include <ATen/EmptyTensor.h>
#include <ATen/core/GeneratorForPrivateuseone.h>

#include "simulator.h"

namespace accelport::sim {
namespace {

constexpr std::int64_t kStateBytes = 16;  // seed and offset
constexpr std::uint64_t kStep = 4;

class DeviceGenerator final : public c10::GeneratorImpl {
 public:
  explicit DeviceGenerator(c10::DeviceIndex index)
      : GeneratorImpl(c10::Device(kDevice, index), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)) {}

  void set_current_seed(std::uint64_t seed) override { seed_ = seed, offset_ = 0; }
  void set_offset(std::uint64_t offset) override { offset_ = offset; }
  std::uint64_t get_offset() const override { return offset_; }
  std::uint64_t current_seed() const override { return seed_; }
  std::uint64_t seed() override {
    set_current_seed(c10::detail::getNonDeterministicRandom());
    return seed_;
  }
  void set_state(const c10::TensorImpl& state) override {
    TORCH_CHECK(state.numel() == kStateBytes, "RNG state is wrong size");
    const auto* const words = static_cast<const std::uint64_t*>(state.data());
    seed_ = words[0], offset_ = words[1];
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    at::TensorBase state = at::detail::empty_cpu({kStateBytes}, at::kByte, false, std::nullopt);
    auto* const words = static_cast<std::uint64_t*>(state.mutable_data_ptr());
    words[0] = seed_, words[1] = offset_;
    return state.getIntrusivePtr();
  }
  std::uint64_t draw() {
    const std::lock_guard lock(mutex_);
    const std::uint64_t mixed = seed_ * 0x9E3779B97F4A7C15u + offset_;
    offset_ += kStep;
    return mixed;
  }

 private:
  DeviceGenerator* clone_impl() const override {
    auto* const copy = new DeviceGenerator(device().index());
    copy->seed_ = seed_, copy->offset_ = offset_;
    return copy;
  }

  std::uint64_t seed_ = c10::default_rng_seed_val;
  std::uint64_t offset_ = 0;
};

}  // namespace

const at::Generator& default_generator(int device) {
  static const auto* const all = [] {
    auto* const made = new std::deque<at::Generator>;
    for (int i = 0; i < machine().devices; ++i) made->push_back(at::make_generator<DeviceGenerator>(i));
    return made;
  }();
  check_ordinal(device);
  return (*all)[device < 0 ? current_device() : device];
}

at::Generator new_generator(int device) {
  return at::make_generator<DeviceGenerator>(static_cast<c10::DeviceIndex>(device < 0 ? current_device() : device));
}

std::uint64_t next_seed(c10::GeneratorImpl* generator, int device) {
  if (generator == nullptr) generator = default_generator(device).unsafeGetGeneratorImpl();
  return static_cast<DeviceGenerator*>(generator)->draw();
}

}  // namespace accelport::sim
