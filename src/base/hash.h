#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace accelport {

/// Streaming content hash (XXH3, 64 bits). Not for security. The result depends on the bytes only, on no machine.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  /// Adds `bytes` and their length, so that ("ab", "c") and ("a", "bc") differ.
  Hasher& add(std::string_view bytes);
  Hasher& add(std::uint64_t number);
  std::uint64_t digest() const;

 private:
  void* state_;
};

std::uint64_t hash_of(std::string_view bytes);

/// Sixteen lower-case hexadecimal digits.
std::string to_hex(std::uint64_t value);

}  // namespace accelport
