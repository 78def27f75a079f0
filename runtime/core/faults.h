#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace accelport::sim {

enum class FaultKind : std::uint8_t {
  nan,
  inf,
  wrong,
  error,
  out_of_memory,
  hang,       // the rank never comes to the collective
  late,       // it comes late
  stale,      // a wait is left out, so that what follows reads old bytes
  corrupt,    // a byte of a saved file is changed
  host_read,  // the device's addresses are no addresses of the host
};
enum class Phase : std::uint8_t { any, forward, backward, optimizer };

std::string_view to_string(FaultKind kind);
std::string_view to_string(Phase phase);

/// One planned fault. It fires once, at call number `call` of the operation, counted on the rank and in the phase that
/// it names; one that is `deterministic` also at every later call with the same arguments, as a kernel's defect would.
struct Fault {
  FaultKind kind = FaultKind::nan;
  /// "aten::mm" fits every overload, "aten::mm.out" that one. Collectives: "allreduce", … Waits: "stream.wait", … What
  /// is saved: "save".
  std::string operation;
  int call = 1;
  int rank = -1;  // -1: every rank
  Phase phase = Phase::any;
  std::int64_t element = 0;  // which element of the result, or byte of the file, is changed
  double seconds = 0;        // of a late rank
  std::int64_t bytes = 0;    // out of memory: above so many allocated bytes; takes no operator
  bool deterministic = false;
  int line = 0;
};

/// The faults of one file, with what has happened of them. Counting is safe from any thread.
class FaultSchedule {
 public:
  /// Is told of each fault as it fires: `line` describes it. Must not come back to the schedule's counting.
  using Listener = std::function<void(const std::string& line)>;

  FaultSchedule() = default;
  explicit FaultSchedule(std::vector<Fault> faults, int rank);

  bool empty() const { return plans_.empty(); }
  /// True if any fault names this operator; asked once per operator, so that others cost nothing.
  bool concerns(std::string_view name, std::string_view overload) const;
  /// A hash of a call's arguments; asked for deterministic faults only.
  using Fingerprint = std::function<std::uint64_t()>;
  /// Counts a call and gives the fault that is due, or null.
  const Fault* on_call(std::string_view name, std::string_view overload, Phase phase,
                       const Fingerprint& fingerprint = {});
  /// True if a fault of this kind is planned for this rank.
  bool plans(FaultKind kind) const;
  /// Counts the faults of this kind on this rank as fired.
  void mark(FaultKind kind);
  void listen(Listener listener) { listener_ = std::move(listener); }
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
    std::atomic<std::uint64_t> arguments{0};  // of the call at which a deterministic one fired
    explicit Plan(Fault planned) : fault(std::move(planned)) {}
    Plan(Plan&& other) noexcept
        : fault(std::move(other.fault)),
          calls(other.calls.load()),
          fired(other.fired.load()),
          arguments(other.arguments.load()) {}
  };

  bool is_mine(const Fault& fault) const { return fault.rank < 0 || fault.rank == rank_; }
  void fire(Plan& plan);
  static bool is_due(Plan& plan, const Fingerprint& fingerprint);

  std::vector<Plan> plans_;
  int rank_ = 0;
  Listener listener_;
};

/// Reads a file of `[[fault]]` tables; `path` is what errors name.
Result<std::vector<Fault>> parse_faults(std::string_view bytes, std::string_view path);

}  // namespace accelport::sim
