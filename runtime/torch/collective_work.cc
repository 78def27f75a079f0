#include "collective_work.h"

#include <chrono>
#include <mutex>
#include <thread>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/clone_ops.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/empty_like_ops.h>

#include "call.h"
#include "deferred.h"
#include "fault_points.h"

namespace accelport::sim {
namespace {

using std::chrono::milliseconds;

bool is_mine(const at::Tensor& tensor) { return tensor.defined() && tensor.device().type() == kDevice; }

StreamKey stream_of(const at::Tensor& tensor) {
  const int device = tensor.device().index();
  return {device, current_stream(device)};
}

at::Tensor host_like(const at::Tensor& tensor) {
  const at::AutoDispatchBelowADInplaceOrView below;
  return at::_ops::empty_like::call(host_alias(tensor), {}, {}, {}, {}, {});
}

/// The bytes as the current stream's next work would find them.
at::Tensor host_copy(const at::Tensor& tensor) {
  const at::AutoDispatchBelowADInplaceOrView below;
  const StreamKey stream = stream_of(tensor);
  const at::Tensor seen =
      stream.id == 0 ? host_alias(tensor) : shaped(deferred_writes().copy_for(stream, tensor.storage()), tensor);
  return at::_ops::clone::call(seen, std::nullopt);
}

void copy_back(const at::Tensor& to, const at::Tensor& from) {
  const at::AutoDispatchBelowADInplaceOrView below;
  at::Tensor target = host_alias(to);
  at::_ops::copy_::call(target, from, false);
}

void delay(const Fault& fault, const std::atomic<bool>& stopped) {
  using Clock = std::chrono::steady_clock;
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(fault.seconds));
  while (fault.kind == FaultKind::hang || Clock::now() < end) {
    TORCH_CHECK(!stopped, "the group was aborted while this rank hung");
    std::this_thread::sleep_for(milliseconds(5));
  }
}

}  // namespace

/// The inner work is waited for once only: gloo's reduce_scatter copies its result again at every wait.
class DeviceWork final : public c10d::Work {
 public:
  DeviceWork(WorkPtr inner, Staging staging, int rank, c10d::OpType type)
      : Work(rank, type), inner_(std::move(inner)), staging_(std::move(staging)) {}

  bool isCompleted() override { return done_ || inner_->isCompleted(); }
  bool isSuccess() const override { return done_ || inner_->isSuccess(); }
  std::exception_ptr exception() const override { return inner_->exception(); }
  int sourceRank() const override { return inner_->sourceRank(); }
  Tensors result() override { return staging_.results_; }
  void synchronize() override { wait(kNoTimeout); }
  void blockCurrentStream() override { wait(kNoTimeout); }
  void abort() override { inner_->abort(); }

  bool wait(milliseconds limit) override {
    const std::lock_guard lock(mutex_);
    if (!done_) done_ = inner_->wait(limit);
    if (done_) publish();
    return done_;
  }

  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override {
    const std::lock_guard lock(mutex_);
    if (!future_) follow();
    return future_;
  }

 private:
  void publish() {
    for (const auto& [mine, host] : staging_.copies_) {
      const StreamKey stream = stream_of(mine);
      if (stream.id == 0)
        copy_back(mine, host);
      else
        deferred_writes().put(stream, mine, host);
    }
    staging_.copies_.clear();
  }

  /// Who takes the future is told of the end by another thread: the results are on the device before.
  void follow() {
    std::vector<c10::Device> devices;
    for (const at::Tensor& result : staging_.results_)
      if (is_mine(result) && devices.empty()) devices.push_back(result.device());
    future_ = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()), devices);
    c10::intrusive_ptr<c10::ivalue::Future> inner;
    try {
      inner = inner_->getFuture();
    } catch (const c10::Error&) {  // some of gloo's works have none
      if (!done_) done_ = inner_->wait(kNoTimeout);
      publish();
      future_->markCompleted(c10::IValue(staging_.results_));
      return;
    }
    auto copies = std::exchange(staging_.copies_, {});
    inner->addCallback(
        [future = future_, results = staging_.results_, copies](c10::ivalue::Future& finished) {
          if (finished.hasError()) return future->setError(finished.exception_ptr());
          for (const auto& [mine, host] : copies) copy_back(mine, host);
          future->markCompleted(c10::IValue(results));
        },
        false);
  }

  WorkPtr inner_;
  Staging staging_;
  std::mutex mutex_;
  std::atomic<bool> done_{false};
  c10::intrusive_ptr<c10::ivalue::Future> future_;
};

Staging::Staging(const char* name, bool waits_later, const std::atomic<bool>& stopped)
    : waits_later_(waits_later), fault_(fault_at(name)) {
  if (fault_ == nullptr) return;
  TORCH_CHECK(fault_->kind != FaultKind::error, "simulated fault: ", name, " failed");
  if (fault_->kind == FaultKind::hang || fault_->kind == FaultKind::late) {
    delay(*fault_, stopped);
    fault_ = nullptr;
  }
}

bool Staging::needs_copy(const at::Tensor& tensor) const {
  return waits_later_ || fault_ != nullptr || stream_of(tensor).id != 0;
}

at::Tensor Staging::spoiled(at::Tensor host) {
  if (fault_ != nullptr) spoil(host, *std::exchange(fault_, nullptr));
  return host;
}

at::Tensor Staging::in(const at::Tensor& tensor) {
  if (!is_mine(tensor)) return tensor;
  touch(tensor.device().index());
  if (!needs_copy(tensor)) return host_alias(tensor);
  return spoiled(host_copy(tensor));
}

at::Tensor Staging::written(const at::Tensor& tensor, bool reads) {
  results_.push_back(tensor);
  if (!is_mine(tensor)) return tensor;
  touch(tensor.device().index());
  if (!needs_copy(tensor)) return host_alias(tensor);
  copies_.push_back({tensor, reads ? host_copy(tensor) : host_like(tensor)});
  return copies_.back().host;
}

Tensors Staging::in(const Tensors& tensors) {
  Tensors hosts;
  for (const at::Tensor& tensor : tensors) hosts.push_back(in(tensor));
  return hosts;
}

Tensors Staging::out(const Tensors& tensors) {
  Tensors hosts;
  for (const at::Tensor& tensor : tensors) hosts.push_back(out(tensor));
  return hosts;
}

Tensors Staging::both(const Tensors& tensors) {
  Tensors hosts;
  for (const at::Tensor& tensor : tensors) hosts.push_back(both(tensor));
  return hosts;
}

TensorLists Staging::in(const TensorLists& lists) {
  TensorLists hosts;
  for (const Tensors& list : lists) hosts.push_back(in(list));
  return hosts;
}

TensorLists Staging::out(const TensorLists& lists) {
  TensorLists hosts;
  for (const Tensors& list : lists) hosts.push_back(out(list));
  return hosts;
}

WorkPtr Staging::wrap(WorkPtr inner, int rank, c10d::OpType type) {
  return c10::make_intrusive<DeviceWork>(std::move(inner), std::move(*this), rank, type);
}

}  // namespace accelport::sim
