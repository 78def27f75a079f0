#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace accelport::sim {

enum class FaultKind : std::uint8_t { nan, inf, wrong, error, out_of_memory, hang, late };
enum class Phase : std::uint8_t { any, forward, backward, optimizer };

std::string_view to_string(FaultKind kind);
std::string_view to_string(Phase phase);

/// One planned fault. It fires once, at call number `call` of the operator or collective, counted on the rank and in
/// the phase that it names.
struct Fault {
  FaultKind kind = FaultKind::nan;
  std::string operation;  // "aten::mm" fits every overload, "aten::mm.out" that one; collectives: "allreduce", …
  int call = 1;
  int rank = -1;  // -1: every rank
  Phase phase = Phase::any;
  std::int64_t element = 0;  // which element of the result is changed
  double seconds = 0;        // of a late rank
  std::int64_t bytes = 0;    // out of memory: above so many allocated bytes; takes no operator
  int line = 0;
};

/// The faults of one file, with what has happened of them. Counting is safe from any thread.
class FaultSchedule {
 public:
  FaultSchedule() = default;
  explicit FaultSchedule(std::vector<Fault> faults, int rank);

  bool empty() const { return plans_.empty(); }
  /// True if any fault names this operator; asked once per operator, so that others cost nothing.
  bool concerns(std::string_view name, std::string_view overload) const;
  /// Counts a call and gives the fault that is due, or null.
  const Fault* on_call(std::string_view name, std::string_view overload, Phase phase);
  /// The limits of the faults that are about memory; each counts as fired when `mark_out_of_memory` is told of it.
  std::vector<std::int64_t> memory_limits() const;
  void mark_out_of_memory(std::int64_t bytes);

  /// One line for each fault, in the order of the file: what it was, and whether it fired.
  std::vector<std::string> summary() const;

 private:
  struct Plan {
    Fault fault;
    std::atomic<int> calls{0};
    std::atomic<bool> fired{false};
    explicit Plan(Fault planned) : fault(std::move(planned)) {}
    Plan(Plan&& other) noexcept : fault(std::move(other.fault)), calls(other.calls.load()), fired(other.fired.load()) {}
  };

  std::vector<Plan> plans_;
  int rank_ = 0;
};

/// Reads a file of `[[fault]]` tables; `path` is what errors name.
Result<std::vector<Fault>> parse_faults(std::string_view bytes, std::string_view path);

}  // namespace accelport::sim
