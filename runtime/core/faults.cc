#include "core/faults.h"

#include <algorithm>
#include <array>
#include <climits>

#include <fmt/core.h>

#include "catalog/fields.h"
#include "catalog/toml.h"

namespace accelport::sim {
namespace {

constexpr std::array<std::string_view, 10> kKinds = {"nan",  "inf",  "wrong", "error",   "out-of-memory",
                                                     "hang", "late", "stale", "corrupt", "host-read"};
constexpr std::array<std::string_view, 4> kPhases = {"any", "forward", "backward", "optimizer"};
constexpr int kMostCalls = 1'000'000'000;
constexpr std::int64_t kMebibyte = 1 << 20;
constexpr std::array<std::string_view, 11> kCollectives = {"allreduce", "broadcast", "reduce",         "allgather",
                                                           "gather",    "scatter",   "reduce_scatter", "alltoall",
                                                           "send",      "recv",      "barrier"};
constexpr std::array<std::string_view, 4> kWaits = {"stream.wait", "event.synchronize", "stream.synchronize",
                                                    "device.synchronize"};

bool fits(const Fault& fault, std::string_view name, std::string_view overload) {
  const std::string_view wanted = fault.operation;
  if (wanted == name) return true;
  return wanted.size() == name.size() + 1 + overload.size() && wanted.starts_with(name) && wanted[name.size()] == '.' &&
         wanted.ends_with(overload);
}

void read_limit(Fields& fields, Fault& fault) {
  const auto mebibytes = fields.number("mebibytes", 0, 1 << 24);
  const auto bytes = fields.number("bytes", 0, INT_MAX);
  if (!mebibytes && !bytes) fields.absence("out-of-memory needs a limit", "mebibytes = 100, for example");
  fault.bytes = bytes ? *bytes : mebibytes.value_or(0) * kMebibyte;
}

/// What the fault's kind can happen to.
void read_operation(Fields& fields, Fault& fault) {
  switch (fault.kind) {
    case FaultKind::out_of_memory:
      return read_limit(fields, fault);
    case FaultKind::host_read:
      return;
    case FaultKind::corrupt:
      fault.operation = "save";
      return;
    case FaultKind::stale:
      fault.operation = kWaits[fields.choice("operator", kWaits).value_or(0)];
      return;
    case FaultKind::hang:
    case FaultKind::late:
      if (!fields.has("operator"))
        fields.absence("it happens in a collective", "operator = \"allreduce\", for example");
      fault.operation = kCollectives[fields.choice("operator", kCollectives).value_or(0)];
      return;
    default:
      fault.operation = fields.required_text("operator");
      if (fault.operation.find("::") == std::string::npos)
        fault.operation = kCollectives[fields.choice("operator", kCollectives).value_or(0)];
  }
}

Fault read_fault(const TomlValue& table, FieldErrors& errors) {
  Fields fields(table, "[[fault]]", errors);
  Fault fault;
  fault.line = table.line;
  if (!fields.has("kind")) fields.absence("a fault needs a kind", "kind = \"nan\", for example");
  fault.kind = static_cast<FaultKind>(fields.choice("kind", kKinds).value_or(0));
  fault.call = fields.number("call", 1, kMostCalls).value_or(1);
  fault.rank = fields.number("rank", 0, 1 << 20).value_or(-1);
  fault.phase = static_cast<Phase>(fields.choice("phase", kPhases).value_or(0));
  fault.element = fields.number("element", 0, kMostCalls).value_or(0);
  fault.seconds = fields.number("milliseconds", 1, kMostCalls).value_or(1000) / 1000.0;
  fault.deterministic = fields.flag("deterministic").value_or(false);
  read_operation(fields, fault);
  fields.finish();
  return fault;
}

std::string described(const Fault& fault) {
  std::string line;
  if (fault.kind == FaultKind::out_of_memory)
    line = fault.bytes % kMebibyte == 0 ? fmt::format("out-of-memory above {} MiB", fault.bytes / kMebibyte)
                                        : fmt::format("out-of-memory above {} bytes", fault.bytes);
  else if (fault.operation.empty())
    line = to_string(fault.kind);
  else
    line = fmt::format("{} at call {} of {}", to_string(fault.kind), fault.call, fault.operation);
  if (fault.phase != Phase::any) line += fmt::format(" in {}", to_string(fault.phase));
  if (fault.rank >= 0) line += fmt::format(" on rank {}", fault.rank);
  return line;
}

}  // namespace

std::string_view to_string(FaultKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }
std::string_view to_string(Phase phase) { return kPhases[static_cast<std::size_t>(phase)]; }

FaultSchedule::FaultSchedule(std::vector<Fault> faults, int rank) : rank_(rank) {
  plans_.reserve(faults.size());
  for (Fault& fault : faults) plans_.emplace_back(std::move(fault));
}

bool FaultSchedule::concerns(std::string_view name, std::string_view overload) const {
  for (const Plan& plan : plans_)
    if (fits(plan.fault, name, overload)) return true;
  return false;
}

/// Counts the call.
bool FaultSchedule::is_due(Plan& plan, const Fingerprint& fingerprint) {
  const int call = ++plan.calls;
  if (!plan.fault.deterministic || !fingerprint) return call == plan.fault.call;
  if (call < plan.fault.call) return false;
  const std::uint64_t arguments = fingerprint();
  if (call == plan.fault.call) plan.arguments = arguments;
  return arguments == plan.arguments;
}

const Fault* FaultSchedule::on_call(std::string_view name, std::string_view overload, Phase phase,
                                    const Fingerprint& fingerprint) {
  const Fault* due = nullptr;
  for (Plan& plan : plans_) {
    const Fault& fault = plan.fault;
    if (!fits(fault, name, overload) || !is_mine(fault)) continue;
    if (fault.phase != Phase::any && fault.phase != phase) continue;
    if (!is_due(plan, fingerprint) || due != nullptr) continue;
    fire(plan);
    due = &fault;
  }
  return due;
}

void FaultSchedule::fire(Plan& plan) {
  if (!plan.fired.exchange(true) && listener_) listener_(described(plan.fault));
}

bool FaultSchedule::plans(FaultKind kind) const {
  return std::any_of(plans_.begin(), plans_.end(),
                     [&](const Plan& plan) { return plan.fault.kind == kind && is_mine(plan.fault); });
}

void FaultSchedule::mark(FaultKind kind) {
  for (Plan& plan : plans_)
    if (plan.fault.kind == kind && is_mine(plan.fault)) fire(plan);
}

std::vector<std::int64_t> FaultSchedule::memory_limits() const {
  std::vector<std::int64_t> limits;
  for (const Plan& plan : plans_)
    if (plan.fault.kind == FaultKind::out_of_memory && is_mine(plan.fault)) limits.push_back(plan.fault.bytes);
  return limits;
}

void FaultSchedule::mark_out_of_memory(std::int64_t bytes) {
  for (Plan& plan : plans_)
    if (plan.fault.kind == FaultKind::out_of_memory && plan.fault.bytes == bytes) fire(plan);
}

std::vector<std::string> FaultSchedule::summary() const {
  std::vector<std::string> lines;
  lines.reserve(plans_.size());
  for (const Plan& plan : plans_) lines.push_back(described(plan.fault) + (plan.fired ? ": fired" : ": did not fire"));
  return lines;
}

Result<std::vector<Fault>> parse_faults(std::string_view bytes, std::string_view path) {
  TRY(const TomlValue file, parse_toml(bytes, path));
  FieldErrors errors{std::string(path), {}};
  Fields top(file, "the file", errors);
  std::vector<Fault> faults;
  for (const TomlValue* table : top.tables("fault")) faults.push_back(read_fault(*table, errors));
  top.finish();
  if (errors.first) return tl::unexpected(std::move(*errors.first));
  return faults;
}

}  // namespace accelport::sim
