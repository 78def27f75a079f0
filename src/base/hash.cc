#include "base/hash.h"

#include <fmt/core.h>
#include <xxhash.h>

#include "base/result.h"

namespace accelport {
namespace {

XXH3_state_t* state(void* pointer) { return static_cast<XXH3_state_t*>(pointer); }

}  // namespace

Hasher::Hasher() : state_(XXH3_createState()) {
  ACCELPORT_CHECK(state_ != nullptr);
  XXH3_64bits_reset(state(state_));
}

Hasher::~Hasher() { XXH3_freeState(state(state_)); }

Hasher& Hasher::add(std::string_view bytes) {
  add(static_cast<std::uint64_t>(bytes.size()));
  if (!bytes.empty()) XXH3_64bits_update(state(state_), bytes.data(), bytes.size());
  return *this;
}

Hasher& Hasher::add(std::uint64_t number) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<unsigned char>(number >> (8 * i));
  XXH3_64bits_update(state(state_), bytes, sizeof bytes);
  return *this;
}

std::uint64_t Hasher::digest() const { return XXH3_64bits_digest(state(state_)); }

std::uint64_t hash_of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::string to_hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

}  // namespace accelport
