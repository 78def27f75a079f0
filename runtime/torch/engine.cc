#include "engine.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <unordered_map>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/List.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/SmallVector.h>

#include "call.h"
#include "fault_points.h"
#include "other_kinds.h"
#include "tf32.h"

namespace accelport::sim {
namespace {

const c10::DispatchKeySet kHostKeys(c10::DispatchKey::CPU);
/// Gives the CPU's default generator another seed while it lives.
class Reseeded {
 public:
  explicit Reseeded(std::uint64_t seed) : generator_(at::detail::getDefaultCPUGenerator()) {
    const std::lock_guard lock(generator_.mutex());
    before_ = generator_.clone();
    generator_.set_current_seed(seed);
  }
  ~Reseeded() {
    const std::lock_guard lock(generator_.mutex());
    generator_.set_state(before_.get_state());
  }
  Reseeded(const Reseeded&) = delete;
  Reseeded& operator=(const Reseeded&) = delete;

 private:
  at::Generator generator_;
  at::Generator before_;
};

void redispatch_random(const c10::OperatorHandle& op, const OperatorFacts& facts, int device,
                       torch::jit::Stack* stack) {
  c10::GeneratorImpl* given = nullptr;
  c10::IValue* argument = nullptr;
  if (facts.generator >= 0) {
    argument = &(*stack)[stack->size() - facts.arguments + facts.generator];
    if (!argument->isNone()) {
      const at::Generator generator = argument->toGenerator();
      TORCH_CHECK(generator.device().type() == kDevice, "Expected a '", machine().platform.device_type,
                  "' device type for generator but found '", generator.device().type(), "'");
      given = generator.unsafeGetGeneratorImpl();
    }
  }
  if (given == nullptr && machine().host_generator) return op.redispatchBoxed(kHostKeys, stack);
  const std::uint64_t seed = next_seed(given, device);
  if (argument != nullptr) {
    *argument = at::detail::createCPUGenerator(seed);
    return op.redispatchBoxed(kHostKeys, stack);
  }
  const Reseeded reseeded(seed);
  op.redispatchBoxed(kHostKeys, stack);
}

/// Threads of autograd take over the number of threads that the program has chosen since they began.
void follow_threads(bool in_backward) {
  static std::atomic<int> chosen{0};
  const int mine = at::get_num_threads();
  const int wanted = chosen.load(std::memory_order_relaxed);
  if (mine == wanted) return;
  if (in_backward && wanted != 0)
    at::set_num_threads(wanted);
  else
    chosen.store(mine, std::memory_order_relaxed);
}

/// The first tensor that the operator writes in place, by its schema: optimizers' operators return nothing.
at::Tensor written_argument(const c10::OperatorHandle& op, const OperatorFacts& facts, const torch::jit::Stack& stack) {
  for (std::size_t i = 0; i < facts.arguments; ++i) {
    const c10::AliasInfo* const alias = op.schema().arguments()[i].alias_info();
    const c10::IValue& value = stack[stack.size() - facts.arguments + i];
    if (alias == nullptr || !alias->isWrite()) continue;
    if (value.isTensor()) return value.toTensor();
    if (value.isTensorList() && !value.toTensorVector().empty()) return value.toTensorVector()[0];
  }
  return {};
}

/// Spoils the first result, while it is still the CPU's, or else what the operator has written.
void spoil_result(const Fault& fault, const OperatorFacts& facts, const torch::jit::Stack& stack,
                  const at::Tensor& written) {
  for (std::size_t i = stack.size() - facts.returns; i < stack.size(); ++i) {
    const c10::IValue& value = stack[i];
    if (value.isTensor() && value.toTensor().defined() && value.toTensor().is_non_overlapping_and_dense())
      return spoil(value.toTensor(), fault);
    if (value.isTensorList() && !value.toTensorVector().empty()) return spoil(value.toTensorVector()[0], fault);
  }
  spoil(written, fault);
}

/// Types of values by the names that Python has for them.
const std::map<std::string, c10::ScalarType>& type_names() {
  static const std::map<std::string, c10::ScalarType> names = {{"bool", at::kBool},
                                                               {"uint8", at::kByte},
                                                               {"int8", at::kChar},
                                                               {"int16", at::kShort},
                                                               {"int32", at::kInt},
                                                               {"int64", at::kLong},
                                                               {"uint16", at::kUInt16},
                                                               {"uint32", at::kUInt32},
                                                               {"uint64", at::kUInt64},
                                                               {"float16", at::kHalf},
                                                               {"bfloat16", at::kBFloat16},
                                                               {"float32", at::kFloat},
                                                               {"float64", at::kDouble},
                                                               {"complex64", at::kComplexFloat},
                                                               {"complex128", at::kComplexDouble}};
  return names;
}

std::uint64_t type_bits(const std::vector<std::string>& names) {
  std::uint64_t bits = 0;
  for (const std::string& name : names) {
    const auto type = type_names().find(name);
    TORCH_CHECK_VALUE(type != type_names().end(), "the platform's limits name a type that torch has not: ", name);
    bits |= std::uint64_t{1} << static_cast<int>(type->second);
  }
  return bits;
}

/// Of a row "mm 0 1": the bits of the numbers, if it is about this operator.
std::uint64_t argument_bits(const std::string& row, const std::string& name) {
  std::istringstream words(row);
  std::string word;
  if (!(words >> word) || "aten::" + word != name) return 0;
  std::uint64_t bits = 0;
  for (unsigned number = 0; words >> number;) bits |= std::uint64_t{1} << number;
  return bits;
}

struct Refusal {
  const OperatorLimit* limit = nullptr;
  std::uint64_t types = 0;
};

/// The platform's limits by operator, made at the first use: hundreds of operators are asked about.
const std::unordered_map<std::string, Refusal>& refusals() {
  static const std::unordered_map<std::string, Refusal> all = [] {
    std::unordered_map<std::string, Refusal> made;
    for (const OperatorLimit& limit : machine().platform.limits) {
      const std::uint64_t types = type_bits(limit.dtypes);
      for (const std::string& name : limit.operators) {
        Refusal& refusal = made["aten::" + name];
        refusal.limit = &limit;
        refusal.types |= types;
      }
    }
    return made;
  }();
  return all;
}

std::uint64_t rounded_arguments(const std::string& name) {
  std::uint64_t bits = 0;
  for (const Quirk& quirk : machine().platform.quirks)
    if (quirk.id == "tf32_products" && machine().quirks.contains(quirk.id))
      for (const std::string& about : quirk.operators) bits |= argument_bits(about, name);
  return bits;
}

bool is_generator(const c10::Argument& argument) {
  static const c10::TypePtr optional = c10::OptionalType::create(c10::GeneratorType::get());
  return argument.type()->isSubtypeOf(*optional);
}

/// CPU tensors may stand beside the device's: copies, indices, lengths of packed sequences, lists of factors.
bool takes_host_tensors(const std::string& name, const std::string& overload) {
  for (const char* part : {"aten::index", "aten::_index", "aten::_unsafe_index", "aten::_unsafe_masked_index"})
    if (name.rfind(part, 0) == 0) return true;
  const bool has_factors = overload == "Tensor" && name.rfind("aten::_foreach_addc", 0) == 0;
  return has_factors || overload == "data" || name.find("copy") != std::string::npos;
}

void round_arguments(const OperatorFacts& facts, torch::jit::Stack& stack) {
  if (!machine().tf32) return;
  for (std::size_t i = 0; i < facts.arguments; ++i) {
    c10::IValue& value = stack[stack.size() - facts.arguments + i];
    if ((facts.rounded >> i & 1) != 0 && value.isTensor()) value = rounded_to_tf32(value.toTensor());
  }
}

}  // namespace

OperatorFacts::OperatorFacts(const c10::OperatorHandle& op, bool on_card)
    : arguments(op.schema().arguments().size()),
      returns(op.schema().returns().size()),
      seeded(op.hasTag(at::Tag::nondeterministic_seeded)),
      name(op.schema().name()),
      overload(op.schema().overload_name()) {
  for (std::size_t i = 0; i < arguments; ++i)
    if (is_generator(op.schema().arguments()[i])) generator = static_cast<int>(i);
  takes_host = takes_host_tensors(name, overload);
  const std::string full_name = overload.empty() ? name : name + "." + overload;
  if (const auto refusal = refusals().find(full_name); refusal != refusals().end()) {
    limit = refusal->second.limit;
    lacking = refusal->second.types;
  }
  rounded = rounded_arguments(name);
  has_faults = machine().faults->concerns(name, overload);
  profile = &machine().profile.entry(full_name, on_card);
}

void run_on_host(const c10::OperatorHandle& op, const OperatorFacts& facts, torch::jit::Stack* stack,
                 c10::DispatchKeySet keys) {
  facts.profile->calls.fetch_add(1, std::memory_order_relaxed);
  Call call(facts);
  for (std::size_t i = stack->size() - facts.arguments; i < stack->size(); ++i) call.convert_argument((*stack)[i]);
  call.check_mix();
  const int device = call.device();
  touch(device);
  follow_threads(in_backward());

  if (facts.rounded != 0) round_arguments(facts, *stack);
  const Fault* const fault = due_fault(facts, *stack);
  const at::Tensor written = fault != nullptr ? written_argument(op, facts, *stack) : at::Tensor();
  {
    const c10::impl::ExcludeDispatchKeyGuard hide(c10::DispatchKey::TESTING_ONLY_GenericMode);
    const at::AutoDispatchBelowADInplaceOrView below;
    const BookOn booking(device);
    if (facts.generator >= 0 || facts.seeded)
      redispatch_random(op, facts, device, stack);
    else
      op.redispatchBoxed(c10::DispatchKeySet(host_key(keys)), stack);
    if (fault != nullptr) spoil_result(*fault, facts, *stack, written);
    call.finish();
  }
  for (std::size_t i = stack->size() - facts.returns; i < stack->size(); ++i) call.convert_result((*stack)[i]);
}

const Fault* due_fault(const OperatorFacts& facts, const torch::jit::Stack& stack) {
  if (!facts.has_faults) return nullptr;
  const Fault* const fault = machine().faults->on_call(facts.name, facts.overload, current_phase(),
                                                       [&] { return fingerprint(stack, facts.arguments); });
  TORCH_CHECK(fault == nullptr || fault->kind != FaultKind::error, "simulated fault: ", facts.name, " failed");
  return fault;
}

}  // namespace accelport::sim
