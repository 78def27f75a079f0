#include <torch/csrc/utils/pybind.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "simulator.h"

namespace py = pybind11;

namespace accelport::sim {
namespace {

using c10d::Backend;
using c10d::OpType;
using c10d::Work;
using Tensors = std::vector<at::Tensor>;
using TensorLists = std::vector<Tensors>;
using WorkPtr = c10::intrusive_ptr<Work>;

Tensors host(const Tensors& tensors) {
  Tensors out;
  for (const at::Tensor& tensor : tensors) out.push_back(host_alias(tensor));
  return out;
}
TensorLists host(const TensorLists& lists) {
  TensorLists out;
  for (const Tensors& list : lists) out.push_back(host(list));
  return out;
}
Tensors flat(const TensorLists& lists) {
  Tensors out;
  for (const Tensors& list : lists) out.insert(out.end(), list.begin(), list.end());
  return out;
}

/// The work of the inner group with a future over the device's tensors. The inner work is waited for once only: gloo's
/// reduce_scatter copies its result again at every wait.
class DeviceWork final : public Work {
 public:
  DeviceWork(WorkPtr inner, Tensors results, int rank, OpType type, bool wants_future)
      : Work(rank, type), inner_(std::move(inner)), results_(std::move(results)) {
    std::vector<c10::Device> devices;
    for (const at::Tensor& result : results_)
      if (result.device().type() == kDevice && devices.empty()) devices.push_back(result.device());
    future_ = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()), devices);
    if (wants_future) follow();
  }

  bool isCompleted() override { return done_ || inner_->isCompleted(); }
  bool isSuccess() const override { return done_ || inner_->isSuccess(); }
  std::exception_ptr exception() const override { return inner_->exception(); }
  int sourceRank() const override { return inner_->sourceRank(); }
  Tensors result() override { return results_; }
  void synchronize() override { wait(kNoTimeout); }
  bool wait(std::chrono::milliseconds limit) override {
    if (!done_) done_ = inner_->wait(limit);
    return done_;
  }
  void abort() override { inner_->abort(); }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override { return future_; }

 private:
  void follow() {
    c10::intrusive_ptr<c10::ivalue::Future> inner;
    try {
      inner = inner_->getFuture();
    } catch (const c10::Error&) {  // some of gloo's works have none
      wait(kNoTimeout);
      future_->markCompleted(c10::IValue(results_));
      return;
    }
    inner->addCallback(
        [future = future_, results = results_](c10::ivalue::Future& finished) {
          if (finished.hasError())
            future->setError(finished.exception_ptr());
          else
            future->markCompleted(c10::IValue(results));
        },
        false);
  }

  WorkPtr inner_;
  Tensors results_;
  bool done_ = false;
  c10::intrusive_ptr<c10::ivalue::Future> future_;
};

/// The platform's collectives: another group does them over the same bytes.
class DeviceGroup final : public Backend {
 public:
  explicit DeviceGroup(c10::intrusive_ptr<Backend> inner)
      : Backend(inner->getRank(), inner->getSize()), inner_(std::move(inner)) {}

  const std::string getBackendName() const override { return machine().platform.backend; }
  void setSequenceNumberForGroup() override { inner_->setSequenceNumberForGroup(); }
  std::uint64_t getSequenceNumberForGroup() override { return inner_->getSequenceNumberForGroup(); }
  void setTimeout(std::chrono::milliseconds timeout) override { inner_->setTimeout(timeout); }
  void abort() override { inner_->abort(); }
  void shutdown() override { inner_->shutdown(); }

  WorkPtr broadcast(Tensors& t, const c10d::BroadcastOptions& o) override {
    Tensors h = host(t);
    return wrap(inner_->broadcast(h, o), t, OpType::BROADCAST);
  }
  WorkPtr allreduce(Tensors& t, const c10d::AllreduceOptions& o) override {
    Tensors h = host(t);
    return wrap(inner_->allreduce(h, o), t, OpType::ALLREDUCE);
  }
  WorkPtr allreduce_coalesced(Tensors& t, const c10d::AllreduceCoalescedOptions& o) override {
    Tensors h = host(t);
    return wrap(inner_->allreduce_coalesced(h, o), t, OpType::ALLREDUCE_COALESCED);
  }
  WorkPtr reduce(Tensors& t, const c10d::ReduceOptions& o) override {
    Tensors h = host(t);
    return wrap(inner_->reduce(h, o), t, OpType::REDUCE);
  }
  WorkPtr allgather(TensorLists& out, Tensors& in, const c10d::AllgatherOptions& o) override {
    TensorLists a = host(out);
    Tensors b = host(in);
    return wrap(inner_->allgather(a, b, o), flat(out), OpType::ALLGATHER);
  }
  WorkPtr _allgather_base(at::Tensor& out, at::Tensor& in, const c10d::AllgatherOptions& o) override {
    at::Tensor a = host_alias(out), b = host_alias(in);
    return wrap(inner_->_allgather_base(a, b, o), {out}, OpType::_ALLGATHER_BASE);
  }
  WorkPtr allgather_into_tensor_coalesced(Tensors& out, Tensors& in, const c10d::AllgatherOptions& o) override {
    Tensors a = host(out), b = host(in);
    return wrap(inner_->allgather_into_tensor_coalesced(a, b, o), out, OpType::COALESCED);
  }
  WorkPtr gather(TensorLists& out, Tensors& in, const c10d::GatherOptions& o) override {
    TensorLists a = host(out);
    Tensors b = host(in);
    return wrap(inner_->gather(a, b, o), flat(out), OpType::GATHER);
  }
  WorkPtr scatter(Tensors& out, TensorLists& in, const c10d::ScatterOptions& o) override {
    Tensors a = host(out);
    TensorLists b = host(in);
    return wrap(inner_->scatter(a, b, o), out, OpType::SCATTER);
  }
  WorkPtr reduce_scatter(Tensors& out, TensorLists& in, const c10d::ReduceScatterOptions& o) override {
    Tensors a = host(out);
    TensorLists b = host(in);
    return wrap(inner_->reduce_scatter(a, b, o), out, OpType::REDUCE_SCATTER);
  }
  WorkPtr _reduce_scatter_base(at::Tensor& out, at::Tensor& in, const c10d::ReduceScatterOptions& o) override {
    at::Tensor a = host_alias(out), b = host_alias(in);
    return wrap(inner_->_reduce_scatter_base(a, b, o), {out}, OpType::_REDUCE_SCATTER_BASE);
  }
  WorkPtr reduce_scatter_tensor_coalesced(Tensors& out, Tensors& in, const c10d::ReduceScatterOptions& o) override {
    Tensors a = host(out), b = host(in);
    return wrap(inner_->reduce_scatter_tensor_coalesced(a, b, o), out, OpType::COALESCED);
  }
  WorkPtr alltoall_base(at::Tensor& out, at::Tensor& in, std::vector<std::int64_t>& out_sizes,
                        std::vector<std::int64_t>& in_sizes, const c10d::AllToAllOptions& o) override {
    at::Tensor a = host_alias(out), b = host_alias(in);
    return wrap(inner_->alltoall_base(a, b, out_sizes, in_sizes, o), {out}, OpType::ALLTOALL_BASE);
  }
  WorkPtr alltoall(Tensors& out, Tensors& in, const c10d::AllToAllOptions& o) override {
    Tensors a = host(out), b = host(in);
    return wrap(inner_->alltoall(a, b, o), out, OpType::ALLTOALL);
  }
  WorkPtr send(Tensors& t, int to, int tag) override {
    Tensors h = host(t);
    return wrap(inner_->send(h, to, tag), t, OpType::SEND, false);
  }
  WorkPtr recv(Tensors& t, int from, int tag) override {
    Tensors h = host(t);
    return wrap(inner_->recv(h, from, tag), t, OpType::RECV, false);
  }
  WorkPtr barrier(const c10d::BarrierOptions& o) override {
    return wrap(inner_->barrier(o), {}, OpType::BARRIER, false);
  }

 private:
  WorkPtr wrap(WorkPtr inner, Tensors results, OpType type, bool wants_future = true) {
    return c10::make_intrusive<DeviceWork>(std::move(inner), std::move(results), getRank(), type, wants_future);
  }

  c10::intrusive_ptr<Backend> inner_;
};

}  // namespace

void bind_collectives(py::module& module) {
  module.def(
      "device_group",
      [](const c10::intrusive_ptr<Backend>& inner) -> c10::intrusive_ptr<Backend> {
        return c10::make_intrusive<DeviceGroup>(inner);
      },
      py::call_guard<py::gil_scoped_release>());
}

}  // namespace accelport::sim
