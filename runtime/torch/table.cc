#include <map>
#include <memory>

#include <torch/library.h>

#include "engine.h"

namespace accelport::sim {
namespace {

/// What torch's CPU uses where the card has kernels of its own under other names.
constexpr const char* kStandIns[] = {"_scaled_dot_product_flash_attention_for_cpu",
                                     "_scaled_dot_product_flash_attention_for_cpu_backward"};

bool takes_device(const c10::OperatorHandle& op) {
  for (const c10::Argument& argument : op.schema().arguments())
    if (argument.type()->str().find("Device") != std::string::npos) return true;
  return false;
}

/// Why the engine cannot serve an operator, or null.
const char* obstacle(const std::optional<c10::OperatorHandle>& op) {
  if (!op) return "unknown to this torch";
  if (op->hasKernelForDispatchKey(c10::DispatchKey::PrivateUse1)) return "served by the simulator itself";
  if (op->hasKernelForDispatchKey(c10::DispatchKey::CPU)) return nullptr;
  if (op->hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd)) return "composed of others";
  if (!op->hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd) &&
      !op->hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutogradNonFunctional))
    return "no CPU kernel";
  return takes_device(*op) ? "composed of others" : nullptr;
}

torch::CppFunction engine(const c10::OperatorHandle& op, bool on_card) {
  return torch::CppFunction::makeFromBoxedKernel(
      c10::BoxedKernel::makeFromFunctor(std::make_unique<EngineKernel>(op, on_card)));
}

/// For the modes that are not strict: what the platform lacks.
void fall_back(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const OperatorFacts facts(op, false);
  if (facts.profile->calls == 0 && machine().strictness == Strictness::warn)
    TORCH_WARN("simulated: ", machine().platform.title, " has no ", facts.profile->name, "; served by the CPU");
  run_on_host(op, facts, stack);
}

torch::Library& library() {
  static auto* const only =
      new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
  return *only;
}

/// The same for tensors that are not plain, where the CPU has kernels for them. True if there was one.
bool add_other_kinds(const std::string& name, const c10::OperatorHandle& op) {
  using c10::DispatchKey;
  bool added = false;
  for (const auto& [host, mine] : {std::pair{DispatchKey::QuantizedCPU, DispatchKey::QuantizedPrivateUse1},
                                   {DispatchKey::SparseCPU, DispatchKey::SparsePrivateUse1}}) {
    if (!op.hasKernelForDispatchKey(host) || op.hasKernelForDispatchKey(mine)) continue;
    static std::map<DispatchKey, torch::Library*> libraries;
    auto*& library = libraries[mine];
    if (library == nullptr) library = new torch::Library(torch::Library::IMPL, "aten", mine, __FILE__, __LINE__);
    library->impl(name.c_str(), engine(op, true));
    added = true;
  }
  return added;
}

}  // namespace

c10::OperatorName operator_name(const std::string& row) {
  const std::size_t dot = row.find('.');
  return {"aten::" + row.substr(0, dot), dot == std::string::npos ? "" : row.substr(dot + 1)};
}

Registered register_operators(const std::vector<OperatorRow>& rows, bool host_layers) {
  Registered result;
  const auto add = [&result](const std::string& name) {
    const auto op = c10::Dispatcher::singleton().findSchema(operator_name(name));
    const bool has_others = op && add_other_kinds(name, *op);
    if (const char* why = obstacle(op)) {
      if (has_others) return void(++result.count);
      result.skipped.push_back(name + ": " + why);
      return;
    }
    library().impl(name.c_str(), engine(*op, true));
    ++result.count;
  };
  for (const OperatorRow& row : rows) add(row.name);
  for (const char* name : kStandIns) add(name);
  if (host_layers) register_host_layers();
  if (machine().strictness != Strictness::strict) {
    static auto* const fallback =
        new torch::Library(torch::Library::IMPL, "_", c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
    fallback->fallback(torch::CppFunction::makeFromBoxedFunction<&fall_back>());
  }
  return result;
}

}  // namespace accelport::sim
