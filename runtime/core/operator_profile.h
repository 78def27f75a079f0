#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace accelport::sim {

enum class Strictness : std::uint8_t { strict, warn, allow };

/// What was called on the device, and what the platform lacks but was let through.
class OperatorProfile {
 public:
  struct Entry {
    std::string name;
    bool on_card = true;
    std::atomic<std::uint64_t> calls{0};
  };

  /// The entry of an operator, made at its first use; the address stays.
  Entry& entry(std::string_view name, bool on_card);
  /// Names and calls, sorted by name; `missing_only`: those that the platform lacks.
  std::vector<std::pair<std::string, std::uint64_t>> calls(bool missing_only) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries_;
};

}  // namespace accelport::sim
