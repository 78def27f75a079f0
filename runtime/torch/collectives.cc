#include <torch/csrc/utils/pybind.h>

#include "collective_work.h"

namespace py = pybind11;

namespace accelport::sim {
namespace {

using c10d::Backend;
using c10d::OpType;

/// The platform's collectives: another group does them over the same bytes.
class DeviceGroup final : public Backend {
 public:
  explicit DeviceGroup(c10::intrusive_ptr<Backend> inner)
      : Backend(inner->getRank(), inner->getSize()), inner_(std::move(inner)) {}

  const std::string getBackendName() const override { return machine().platform.backend; }
  void setSequenceNumberForGroup() override { inner_->setSequenceNumberForGroup(); }
  std::uint64_t getSequenceNumberForGroup() override { return inner_->getSequenceNumberForGroup(); }
  void setTimeout(std::chrono::milliseconds timeout) override { inner_->setTimeout(timeout); }
  void abort() override {
    stopped_ = true;
    inner_->abort();
  }
  void shutdown() override {
    stopped_ = true;
    inner_->shutdown();
  }

  WorkPtr broadcast(Tensors& t, const c10d::BroadcastOptions& o) override {
    Staging staging("broadcast", o.asyncOp, stopped_);
    Tensors h = staging.both(t);
    return staging.wrap(inner_->broadcast(h, o), getRank(), OpType::BROADCAST);
  }
  WorkPtr allreduce(Tensors& t, const c10d::AllreduceOptions& o) override {
    Staging staging("allreduce", o.asyncOp, stopped_);
    Tensors h = staging.both(t);
    return staging.wrap(inner_->allreduce(h, o), getRank(), OpType::ALLREDUCE);
  }
  WorkPtr allreduce_coalesced(Tensors& t, const c10d::AllreduceCoalescedOptions& o) override {
    Staging staging("allreduce", true, stopped_);
    Tensors h = staging.both(t);
    return staging.wrap(inner_->allreduce_coalesced(h, o), getRank(), OpType::ALLREDUCE_COALESCED);
  }
  WorkPtr reduce(Tensors& t, const c10d::ReduceOptions& o) override {
    Staging staging("reduce", o.asyncOp, stopped_);
    Tensors h = staging.both(t);
    return staging.wrap(inner_->reduce(h, o), getRank(), OpType::REDUCE);
  }
  WorkPtr allgather(TensorLists& out, Tensors& in, const c10d::AllgatherOptions& o) override {
    Staging staging("allgather", o.asyncOp, stopped_);
    TensorLists a = staging.out(out);
    Tensors b = staging.in(in);
    return staging.wrap(inner_->allgather(a, b, o), getRank(), OpType::ALLGATHER);
  }
  WorkPtr _allgather_base(at::Tensor& out, at::Tensor& in, const c10d::AllgatherOptions& o) override {
    Staging staging("allgather", o.asyncOp, stopped_);
    at::Tensor a = staging.out(out), b = staging.in(in);
    return staging.wrap(inner_->_allgather_base(a, b, o), getRank(), OpType::_ALLGATHER_BASE);
  }
  WorkPtr allgather_into_tensor_coalesced(Tensors& out, Tensors& in, const c10d::AllgatherOptions& o) override {
    Staging staging("allgather", true, stopped_);
    Tensors a = staging.out(out), b = staging.in(in);
    return staging.wrap(inner_->allgather_into_tensor_coalesced(a, b, o), getRank(), OpType::COALESCED);
  }
  WorkPtr gather(TensorLists& out, Tensors& in, const c10d::GatherOptions& o) override {
    Staging staging("gather", o.asyncOp, stopped_);
    TensorLists a = staging.out(out);
    Tensors b = staging.in(in);
    return staging.wrap(inner_->gather(a, b, o), getRank(), OpType::GATHER);
  }
  WorkPtr scatter(Tensors& out, TensorLists& in, const c10d::ScatterOptions& o) override {
    Staging staging("scatter", o.asyncOp, stopped_);
    Tensors a = staging.out(out);
    TensorLists b = staging.in(in);
    return staging.wrap(inner_->scatter(a, b, o), getRank(), OpType::SCATTER);
  }
  WorkPtr reduce_scatter(Tensors& out, TensorLists& in, const c10d::ReduceScatterOptions& o) override {
    Staging staging("reduce_scatter", o.asyncOp, stopped_);
    Tensors a = staging.out(out);
    TensorLists b = staging.in(in);
    return staging.wrap(inner_->reduce_scatter(a, b, o), getRank(), OpType::REDUCE_SCATTER);
  }
  WorkPtr _reduce_scatter_base(at::Tensor& out, at::Tensor& in, const c10d::ReduceScatterOptions& o) override {
    Staging staging("reduce_scatter", o.asyncOp, stopped_);
    at::Tensor a = staging.out(out), b = staging.in(in);
    return staging.wrap(inner_->_reduce_scatter_base(a, b, o), getRank(), OpType::_REDUCE_SCATTER_BASE);
  }
  WorkPtr reduce_scatter_tensor_coalesced(Tensors& out, Tensors& in, const c10d::ReduceScatterOptions& o) override {
    Staging staging("reduce_scatter", true, stopped_);
    Tensors a = staging.out(out), b = staging.in(in);
    return staging.wrap(inner_->reduce_scatter_tensor_coalesced(a, b, o), getRank(), OpType::COALESCED);
  }
  WorkPtr alltoall_base(at::Tensor& out, at::Tensor& in, std::vector<std::int64_t>& out_sizes,
                        std::vector<std::int64_t>& in_sizes, const c10d::AllToAllOptions& o) override {
    Staging staging("alltoall", o.asyncOp, stopped_);
    at::Tensor a = staging.out(out), b = staging.in(in);
    return staging.wrap(inner_->alltoall_base(a, b, out_sizes, in_sizes, o), getRank(), OpType::ALLTOALL_BASE);
  }
  WorkPtr alltoall(Tensors& out, Tensors& in, const c10d::AllToAllOptions& o) override {
    Staging staging("alltoall", o.asyncOp, stopped_);
    Tensors a = staging.out(out), b = staging.in(in);
    return staging.wrap(inner_->alltoall(a, b, o), getRank(), OpType::ALLTOALL);
  }
  WorkPtr send(Tensors& t, int to, int tag) override {
    Staging staging("send", true, stopped_);
    Tensors h = staging.in(t);
    return staging.wrap(inner_->send(h, to, tag), getRank(), OpType::SEND);
  }
  WorkPtr recv(Tensors& t, int from, int tag) override {
    Staging staging("recv", true, stopped_);
    Tensors h = staging.out(t);
    return staging.wrap(inner_->recv(h, from, tag), getRank(), OpType::RECV);
  }
  WorkPtr recvAnysource(Tensors& t, int tag) override {
    Staging staging("recv", true, stopped_);
    Tensors h = staging.out(t);
    return staging.wrap(inner_->recvAnysource(h, tag), getRank(), OpType::RECVANYSOURCE);
  }
  WorkPtr barrier(const c10d::BarrierOptions& o) override {
    Staging staging("barrier", o.asyncOp, stopped_);
    return staging.wrap(inner_->barrier(o), getRank(), OpType::BARRIER);
  }

 private:
  c10::intrusive_ptr<Backend> inner_;
  std::atomic<bool> stopped_{false};
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
