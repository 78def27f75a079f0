// Recurrent layers. torch composes them of smaller operators, and chooses others on the CPU than on a card. Here a
// layer is one operator: the CPU's own, with the CPU's own derivative, so that numbers can be equal to the last bit.

#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/library.h>

#include "call.h"
#include "engine.h"
#include "fault_points.h"

namespace accelport::sim {
namespace {

using torch::autograd::Variable;
using torch::autograd::variable_list;
using torch::jit::Stack;

constexpr const char* kLayers[] = {"lstm.input",     "lstm.data",     "gru.input",      "gru.data",
                                   "rnn_tanh.input", "rnn_tanh.data", "rnn_relu.input", "rnn_relu.data",
                                   "lstm_cell",      "gru_cell",      "rnn_tanh_cell",  "rnn_relu_cell"};

/// The host's graph of one call. A change of a device tensor counts as one of the host tensor over its bytes, so that
/// autograd's own check of saved tensors holds.
struct HostGraph final : torch::autograd::Node {
  variable_list leaves;   // on the host; those that need a gradient
  variable_list results;  // on the host
  int device = 0;

  variable_list apply(variable_list&& grads) override {
    const std::lock_guard lock(mutex_);
    TORCH_CHECK(!results.empty(), torch::autograd::ERR_BACKWARD_TWICE);
    TORCH_CHECK(!at::GradMode::is_enabled(), "the simulated card has no second derivative of a recurrent layer");
    const DeviceSwitch here(c10::Device(kDevice, static_cast<c10::DeviceIndex>(device)));
    const BookOn booking(device);
    Call call(no_facts());
    variable_list roots, seeds;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!grads[i].defined() || !results[i].requires_grad()) continue;
      roots.push_back(results[i]);
      seeds.push_back(call.to_host(grads[i]));
    }
    variable_list out(leaves.size());
    if (!roots.empty()) {
      const bool keep = torch::autograd::get_current_graph_task_keep_graph();
      out = torch::autograd::grad(roots, leaves, seeds, keep, false, true);
    }
    for (Variable& grad : out)
      if (grad.defined()) grad = call.to_device(grad);
    return out;
  }

  void release_variables() override {
    const std::lock_guard lock(mutex_);
    leaves.clear();
    results.clear();
  }

 private:
  static const OperatorFacts& no_facts() {
    static const OperatorFacts facts(c10::Dispatcher::singleton().findSchemaOrThrow("aten::lstm", "input"), false);
    return facts;
  }
};

/// Lets the tensors on the stack that are on the device be host tensors, and remembers those that need a gradient.
class HostArguments {
 public:
  HostArguments(const OperatorFacts& facts, Stack* stack, bool differentiable)
      : call_(facts), differentiable_(differentiable) {
    for (std::size_t i = stack->size() - facts.arguments; i < stack->size(); ++i) convert((*stack)[i]);
    call_.check_mix();
  }

  Call& call() { return call_; }
  bool needs_graph() const { return !leaves_.empty(); }
  variable_list take_leaves() { return std::move(leaves_); }
  const variable_list& originals() const { return originals_; }

 private:
  void convert(c10::IValue& value) {
    if (value.isTensor()) {
      if (value.toTensor().defined()) value = leaf(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(leaf(tensor));
      value = std::move(list);
    }
  }

  at::Tensor leaf(const at::Tensor& tensor) {
    at::Tensor host = call_.to_host(tensor);
    if (!tensor.defined() || tensor.device().type() != kDevice) return host;
    host.unsafeGetTensorImpl()->set_version_counter(tensor.unsafeGetTensorImpl()->version_counter());
    if (!differentiable_ || !tensor.requires_grad() || host.requires_grad()) return host;
    host.set_requires_grad(true);
    leaves_.push_back(host);
    originals_.push_back(tensor);
    return host;
  }

  Call call_;
  bool differentiable_;
  variable_list leaves_, originals_;
};

bool has_python(const Stack& stack, std::size_t arguments) {
  const auto is_python = [](const at::Tensor& t) { return t.defined() && t.key_set().has(c10::DispatchKey::Python); };
  for (std::size_t i = stack.size() - arguments; i < stack.size(); ++i) {
    if (stack[i].isTensor() && is_python(stack[i].toTensor())) return true;
    if (!stack[i].isTensorList()) continue;
    for (const at::Tensor& tensor : stack[i].toTensorVector())
      if (is_python(tensor)) return true;
  }
  return false;
}

void attach(const c10::intrusive_ptr<HostGraph>& graph, HostArguments& arguments, variable_list results, Stack* stack) {
  graph->leaves = arguments.take_leaves();
  graph->set_next_edges(torch::autograd::collect_next_edges(arguments.originals()));
  graph->device = arguments.call().device();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Variable& mine = (*stack)[stack->size() - results.size() + i].toTensor();
    torch::autograd::set_history(mine, graph);
    results[i].unsafeGetTensorImpl()->set_version_counter(mine.unsafeGetTensorImpl()->version_counter());
  }
  graph->results = std::move(results);
}

void run_layer(const c10::OperatorHandle& op, const OperatorFacts& facts, Stack* stack) {
  // Under torch.compile tensors have no bytes: then it is what torch composes for any card.
  if (has_python(*stack, facts.arguments)) return op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::XLA), stack);
  ++facts.profile->calls;
  const bool differentiable = at::GradMode::is_enabled();
  HostArguments arguments(facts, stack, differentiable);
  const int device = arguments.call().device();
  touch(device);
  const Fault* const fault = due_fault(facts, *stack);
  variable_list results;
  {
    const c10::impl::ExcludeDispatchKeyGuard hide(
        c10::DispatchKeySet({c10::DispatchKey::TESTING_ONLY_GenericMode, c10::DispatchKey::AutocastCPU}));
    const BookOn booking(device);
    const at::AutoGradMode grad(arguments.needs_graph());
    op.callBoxed(stack);
  }
  if (fault != nullptr) {
    const at::NoGradGuard plain;
    spoil((*stack)[stack->size() - facts.returns].toTensor().detach(), *fault);
  }
  for (std::size_t i = stack->size() - facts.returns; i < stack->size(); ++i) {
    results.push_back((*stack)[i].toTensor());
    (*stack)[i] = arguments.call().to_device(results.back());
  }
  if (!arguments.needs_graph()) return;
  auto graph = c10::make_intrusive<HostGraph>();
  attach(graph, arguments, std::move(results), stack);
}

/// `run_layer` as a kernel that keeps its operator's facts.
class LayerKernel final : public c10::OperatorKernel {
 public:
  explicit LayerKernel(const c10::OperatorHandle& op) : facts_(op, true) {}
  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet, Stack* stack) { run_layer(op, facts_, stack); }

 private:
  OperatorFacts facts_;
};

/// All parts of a layer are on the list of lower precision, so the layer is.
void run_lower(const c10::OperatorHandle& op, Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard off(c10::DispatchKey::AutocastPrivateUse1);
  const at::ScalarType low = at::autocast::get_autocast_dtype(kDevice);
  for (std::size_t i = stack->size() - op.schema().arguments().size(); i < stack->size(); ++i) {
    c10::IValue& value = (*stack)[i];
    if (value.isTensor()) {
      value = at::autocast::cached_cast(low, value.toTensor(), kDevice);
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& tensor : value.toTensorVector())
        list.push_back(at::autocast::cached_cast(low, tensor, kDevice));
      value = std::move(list);
    }
  }
  op.callBoxed(stack);
}

}  // namespace

void register_host_layers() {
  for (const c10::DispatchKey key : {c10::DispatchKey::AutogradPrivateUse1, c10::DispatchKey::PrivateUse1}) {
    auto* const library = new torch::Library(torch::Library::IMPL, "aten", key, __FILE__, __LINE__);
    for (const char* name : kLayers) {
      const auto op = c10::Dispatcher::singleton().findSchema(operator_name(name)).value();
      library->impl(name, torch::CppFunction::makeFromBoxedKernel(
                              c10::BoxedKernel::makeFromFunctor(std::make_unique<LayerKernel>(op))));
    }
  }
  register_host_dropout();
  auto* const casts =
      new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::AutocastPrivateUse1, __FILE__, __LINE__);
  for (const char* name : kLayers)
    if (std::string_view(name).find('.') != std::string_view::npos)  // cells are on torch's own list
      casts->impl(name, torch::CppFunction::makeFromBoxedFunction<&run_lower>());
}

}  // namespace accelport::sim
