#include "base/sha1.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include <fmt/core.h>

namespace accelport {
namespace {

class Sha1 {
 public:
  void add(std::string_view bytes) {
    total_ += bytes.size();
    while (!bytes.empty()) {
      const std::size_t part = std::min(bytes.size(), block_.size() - used_);
      std::memcpy(block_.data() + used_, bytes.data(), part);
      used_ += part;
      bytes.remove_prefix(part);
      if (used_ == block_.size()) mix();
    }
  }

  std::string finish() {
    const std::uint64_t bits = total_ * 8;
    add(std::string_view("\x80", 1));
    while (used_ != 56) add(std::string_view("\0", 1));
    std::array<char, 8> length;
    for (int i = 0; i < 8; ++i) length[static_cast<std::size_t>(i)] = static_cast<char>(bits >> (56 - 8 * i));
    add({length.data(), length.size()});
    std::string out;
    for (const std::uint32_t word : state_) out += fmt::format("{:08x}", word);
    return out;
  }

 private:
  void mix() {
    used_ = 0;
    std::array<std::uint32_t, 80> w;
    for (std::size_t i = 0; i < 16; ++i)
      w[i] = std::uint32_t{block_[4 * i]} << 24 | std::uint32_t{block_[4 * i + 1]} << 16 |
             std::uint32_t{block_[4 * i + 2]} << 8 | block_[4 * i + 3];
    for (std::size_t i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    auto [a, b, c, d, e] = state_;
    for (std::size_t i = 0; i < 80; ++i) {
      const std::uint32_t f = i < 20   ? ((b & c) | (~b & d)) + 0x5A827999u
                              : i < 40 ? (b ^ c ^ d) + 0x6ED9EBA1u
                              : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDCu
                                       : (b ^ c ^ d) + 0xCA62C1D6u;
      const std::uint32_t next = std::rotl(a, 5) + f + e + w[i];
      e = d;
      d = c;
      c = std::rotl(b, 30);
      b = a;
      a = next;
    }
    const std::array<std::uint32_t, 5> added = {a, b, c, d, e};
    for (std::size_t i = 0; i < 5; ++i) state_[i] += added[i];
  }

  std::array<std::uint32_t, 5> state_ = {0x67452301u, 0xEFCDAB89u, 0x98BADCFEu, 0x10325476u, 0xC3D2E1F0u};
  std::array<unsigned char, 64> block_{};
  std::size_t used_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace

std::string sha1_of(std::initializer_list<std::string_view> parts) {
  Sha1 sha1;
  for (const std::string_view part : parts) sha1.add(part);
  return sha1.finish();
}

std::string git_blob_name(std::string_view bytes) {
  const std::string header = fmt::format("blob {}", bytes.size());
  return sha1_of({header, std::string_view("\0", 1), bytes});
}

}  // namespace accelport
