#include "core/faults.h"

#include <array>
#include <span>

#include <fmt/core.h>

#include "catalog/fields.h"
#include "catalog/toml.h"

namespace accelport::sim {
namespace {

constexpr std::array<std::string_view, 7> kKinds = {"nan", "inf", "wrong", "error", "out-of-memory", "hang", "late"};
constexpr std::array<std::string_view, 4> kPhases = {"any", "forward", "backward", "optimizer"};
constexpr int kMostCalls = 1'000'000'000;
constexpr std::int64_t kMebibyte = 1 << 20;

bool fits(const Fault& fault, std::string_view name, std::string_view overload) {
  const std::string_view wanted = fault.operation;
  if (wanted == name) return true;
  return wanted.size() == name.size() + 1 + overload.size() && wanted.starts_with(name) && wanted[name.size()] == '.' &&
         wanted.ends_with(overload);
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
  const auto mebibytes = fields.number("mebibytes", 0, 1 << 24);
  if (fault.kind == FaultKind::out_of_memory) {
    if (!mebibytes) fields.absence("out-of-memory needs a limit", "mebibytes = 100, for example");
    fault.bytes = mebibytes.value_or(0) * kMebibyte;
  } else {
    fault.operation = fields.required_text("operator");
  }
  fields.finish();
  return fault;
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

const Fault* FaultSchedule::on_call(std::string_view name, std::string_view overload, Phase phase) {
  const Fault* due = nullptr;
  for (Plan& plan : plans_) {
    const Fault& fault = plan.fault;
    if (!fits(fault, name, overload) || (fault.rank >= 0 && fault.rank != rank_)) continue;
    if (fault.phase != Phase::any && fault.phase != phase) continue;
    if (++plan.calls != fault.call || due != nullptr) continue;
    plan.fired = true;
    due = &fault;
  }
  return due;
}

std::vector<std::int64_t> FaultSchedule::memory_limits() const {
  std::vector<std::int64_t> limits;
  for (const Plan& plan : plans_)
    if (plan.fault.kind == FaultKind::out_of_memory && (plan.fault.rank < 0 || plan.fault.rank == rank_))
      limits.push_back(plan.fault.bytes);
  return limits;
}

void FaultSchedule::mark_out_of_memory(std::int64_t bytes) {
  for (Plan& plan : plans_)
    if (plan.fault.kind == FaultKind::out_of_memory && plan.fault.bytes == bytes) plan.fired = true;
}

std::vector<std::string> FaultSchedule::summary() const {
  std::vector<std::string> lines;
  for (const Plan& plan : plans_) {
    const Fault& fault = plan.fault;
    std::string line = fault.kind == FaultKind::out_of_memory
                           ? fmt::format("out-of-memory above {} MiB", fault.bytes / kMebibyte)
                           : fmt::format("{} at call {} of {}", to_string(fault.kind), fault.call, fault.operation);
    if (fault.phase != Phase::any) line += fmt::format(" in {}", to_string(fault.phase));
    if (fault.rank >= 0) line += fmt::format(" on rank {}", fault.rank);
    lines.push_back(line + (plan.fired ? ": fired" : ": did not fire"));
  }
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
