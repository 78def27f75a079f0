#include "syntax/scan.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/files.h"
#include "base/result.h"

namespace accelport {
namespace {

constexpr std::size_t kBlock = 32;
constexpr std::size_t kNoBlock = ~std::size_t{0};

std::atomic<bool> scalar_forced{environment_variable("ACCELPORT_SCALAR") == "1"};

using Nibbles = std::array<std::array<std::uint8_t, 32>, 3>;

/// The buckets whose literals may start at each of 32 positions, and which positions have any.
struct Candidates {
  alignas(32) std::array<std::uint8_t, kBlock> buckets;
  std::uint32_t positions = 0;
};

/// Looks at three bytes a position: each literal of a bucket leaves its bit in the tables of both
/// nibbles of its first three bytes, so a position survives only if some bucket has all six.
std::size_t next_block_scalar(const char* text, std::size_t from, std::size_t size,
                              const Nibbles& low, const Nibbles& high, Candidates& found) {
  const auto test = [&](int k, std::size_t at) {
    const auto c = static_cast<unsigned char>(text[at + k]);
    return static_cast<std::uint8_t>(low[k][c & 15] & high[k][c >> 4]);
  };
  for (; from < size; from += kBlock) {
    found.positions = 0;
    for (std::size_t i = 0; i < kBlock && from + i < size; ++i) {
      std::uint8_t bits = test(0, from + i);
      if (bits != 0) bits &= test(1, from + i);
      if (bits != 0) bits &= test(2, from + i);
      found.buckets[i] = bits;
      if (bits != 0) found.positions |= 1u << i;
    }
    if (found.positions != 0) return from;
  }
  return kNoBlock;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) std::size_t next_block_avx2(const char* text, std::size_t from,
                                                            std::size_t size, const Nibbles& low,
                                                            const Nibbles& high,
                                                            Candidates& found) {
  const __m256i nibble = _mm256_set1_epi8(15);
  __m256i lows[3], highs[3];
  for (int k = 0; k < 3; ++k) {
    lows[k] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(low[k].data()));
    highs[k] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(high[k].data()));
  }
  for (; from < size; from += kBlock) {
    __m256i all = _mm256_set1_epi8(-1);
    for (int k = 0; k < 3; ++k) {
      const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + from + k));
      const __m256i a = _mm256_shuffle_epi8(lows[k], _mm256_and_si256(x, nibble));
      const __m256i b =
          _mm256_shuffle_epi8(highs[k], _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble));
      all = _mm256_and_si256(all, _mm256_and_si256(a, b));
    }
    const __m256i none = _mm256_cmpeq_epi8(all, _mm256_setzero_si256());
    found.positions = ~static_cast<std::uint32_t>(_mm256_movemask_epi8(none));
    if (found.positions != 0) {
      _mm256_store_si256(reinterpret_cast<__m256i*>(found.buckets.data()), all);
      return from;
    }
  }
  return kNoBlock;
}

bool has_avx2() {
  static const bool yes = __builtin_cpu_supports("avx2");
  return yes;
}
#else
bool has_avx2() { return false; }
#endif

bool use_avx2() { return has_avx2() && !scalar_forced.load(std::memory_order_relaxed); }

/// Literals share a bucket by their first bytes, so that each bucket's nibbles stay few.
std::string bucket_key(const LiteralScanner::Literal& literal) {
  return ascii_lower(std::string_view(literal.text).substr(0, 3));
}

bool equals_ignoring_case(const char* text, std::string_view lower) {
  for (std::size_t i = 0; i < lower.size(); ++i)
    if (ascii_lower(text[i]) != lower[i]) return false;
  return true;
}

bool overlaps_itself(std::string_view text) {
  for (std::size_t shift = 1; shift < text.size(); ++shift)
    if (text.substr(shift) == text.substr(0, text.size() - shift)) return true;
  return false;
}

/// Keeps `hits` sorted by word among equal offsets; offsets arrive in order.
void append_sorted(std::vector<Hit>& hits, std::size_t first, Hit hit) {
  hits.push_back(hit);
  for (std::size_t i = hits.size() - 1; i > first; --i) {
    if (hits[i - 1].offset < hit.offset || hits[i - 1].word < hit.word) break;
    std::swap(hits[i - 1], hits[i]);
  }
}

}  // namespace

LiteralScanner::LiteralScanner(std::vector<Literal> literals) : literals_(std::move(literals)) {
  std::vector<std::uint16_t> order(literals_.size());
  for (std::uint16_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    ACCELPORT_CHECK(literals_[i].text.size() >= 3);
    if (literals_[i].ignore_case) literals_[i].text = ascii_lower(literals_[i].text);
  }
  std::sort(order.begin(), order.end(), [&](std::uint16_t a, std::uint16_t b) {
    return std::pair(bucket_key(literals_[a]), a) < std::pair(bucket_key(literals_[b]), b);
  });
  const auto mark = [&](int k, char c, std::uint8_t bit) {
    const auto byte = static_cast<unsigned char>(c);
    for (int half = 0; half < 32; half += 16) {
      low_[k][half + (byte & 15)] |= bit;
      high_[k][half + (byte >> 4)] |= bit;
    }
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t bucket = i * buckets_.size() / order.size();
    const auto bit = static_cast<std::uint8_t>(1u << bucket);
    buckets_[bucket].push_back(order[i]);
    const Literal& literal = literals_[order[i]];
    for (int k = 0; k < 3; ++k) {
      mark(k, literal.text[k], bit);
      if (literal.ignore_case && is_ascii_alpha(literal.text[k])) {
        mark(k, static_cast<char>(literal.text[k] - 'a' + 'A'), bit);
      }
    }
  }
}

template <typename Found>
void LiteralScanner::run(std::string_view text, Found found) const {
  const bool fast = use_avx2();
  Candidates candidates;
  std::size_t at = 0;
  for (;; at += kBlock) {
#if defined(__x86_64__)
    at = fast ? next_block_avx2(text.data(), at, text.size(), low_, high_, candidates)
              : next_block_scalar(text.data(), at, text.size(), low_, high_, candidates);
#else
    static_cast<void>(fast);
    at = next_block_scalar(text.data(), at, text.size(), low_, high_, candidates);
#endif
    if (at == kNoBlock) return;
    for (std::uint32_t left = candidates.positions; left != 0; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      const std::size_t offset = at + lane;
      for (unsigned bits = candidates.buckets[lane]; bits != 0; bits &= bits - 1) {
        for (const std::uint16_t index : buckets_[__builtin_ctz(bits)]) {
          const Literal& literal = literals_[index];
          if (literal.text.size() > text.size() - std::min(offset, text.size())) continue;
          const char* here = text.data() + offset;
          const bool same = literal.ignore_case
                                ? equals_ignoring_case(here, literal.text)
                                : std::memcmp(here, literal.text.data(), literal.text.size()) == 0;
          if (same && !found(offset, index)) return;
        }
      }
    }
  }
}

void LiteralScanner::scan(std::string_view text, std::vector<Hit>& hits) const {
  const std::size_t first = hits.size();
  std::vector<std::size_t> ends;  // only for literals that can overlap themselves
  run(text, [&](std::size_t offset, std::uint16_t index) {
    const std::string& literal = literals_[index].text;
    if (overlaps_itself(literal)) {
      ends.resize(literals_.size());
      if (offset < ends[index]) return true;
      ends[index] = offset + literal.size();
    }
    append_sorted(hits, first,
                  {static_cast<std::uint32_t>(offset), index,
                   static_cast<std::uint16_t>(literal.size())});
    return true;
  });
}

bool LiteralScanner::any(std::string_view text) const {
  bool some = false;
  run(text, [&](std::size_t, std::uint16_t) {
    some = true;
    return false;
  });
  return some;
}

std::string_view LiteralScanner::path() { return use_avx2() ? "avx2" : "scalar"; }

void LiteralScanner::force_scalar(bool on) { scalar_forced = on; }

}  // namespace accelport
