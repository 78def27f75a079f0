#include "syntax/scan.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/files.h"
#include "base/result.h"
#include "syntax/literal_groups.h"

namespace accelport {
namespace {

constexpr std::size_t kBlock = 32;

std::atomic<bool> scalar_forced{environment_variable("ACCELPORT_SCALAR") == "1"};

using Nibbles = std::array<std::array<std::uint8_t, 32>, kWindow>;

/// Places that the filter lets pass, in order.
struct Places {
  std::array<std::uint32_t, 512> at;
  std::size_t count = 0;

  bool full() const { return count + kBlock > at.size(); }
};

/// Fills `places` from `from` on; gives where to go on, `size` or more at the end. It looks at a window of bytes at
/// each place: each literal of a bucket leaves its bit in the tables of both halves of its window's bytes, so a place
/// passes only if some bucket has them all.
std::size_t filter_scalar(const char* text, std::size_t from, std::size_t size, const Nibbles& low, const Nibbles& high,
                          Places& places) {
  const auto test = [&](int k, std::size_t at) {
    const auto c = static_cast<unsigned char>(text[at + k]);
    return static_cast<std::uint8_t>(low[k][c & 15] & high[k][c >> 4]);
  };
  for (; from < size && !places.full(); ++from) {
    std::uint8_t bits = test(0, from);
    for (int k = 1; k < kWindow && bits != 0; ++k) bits &= test(k, from);
    if (bits != 0) places.at[places.count++] = static_cast<std::uint32_t>(from);
  }
  return from;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) std::size_t filter_avx2(const char* text, std::size_t from, std::size_t size,
                                                        const Nibbles& low, const Nibbles& high, Places& places) {
  const __m256i nibble = _mm256_set1_epi8(15);
  __m256i lows[kWindow], highs[kWindow];
  for (int k = 0; k < kWindow; ++k) {
    lows[k] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(low[k].data()));
    highs[k] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(high[k].data()));
  }
  for (; from < size && !places.full(); from += kBlock) {
    __m256i all = _mm256_set1_epi8(-1);
    for (int k = 0; k < kWindow; ++k) {
      const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + from + k));
      const __m256i a = _mm256_shuffle_epi8(lows[k], _mm256_and_si256(x, nibble));
      const __m256i b = _mm256_shuffle_epi8(highs[k], _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble));
      all = _mm256_and_si256(all, _mm256_and_si256(a, b));
    }
    const __m256i none = _mm256_cmpeq_epi8(all, _mm256_setzero_si256());
    for (auto left = ~static_cast<std::uint32_t>(_mm256_movemask_epi8(none)); left != 0; left &= left - 1)
      places.at[places.count++] = static_cast<std::uint32_t>(from) + static_cast<std::uint32_t>(__builtin_ctz(left));
  }
  return from;
}

constexpr auto kFilterFast = filter_avx2;

bool has_avx2() {
  static const bool yes = __builtin_cpu_supports("avx2");
  return yes;
}
#else
constexpr auto kFilterFast = filter_scalar;

bool has_avx2() { return false; }
#endif

bool use_avx2() { return has_avx2() && !scalar_forced.load(std::memory_order_relaxed); }

std::uint32_t load4(const char* p) {
  std::uint32_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

/// The slot of three bytes in a table of 2^bits, the same for letters of either case.
std::uint32_t slot_of(std::uint32_t bytes, int bits) { return (bytes & 0x00DFDFDF) * 0x9E3779B1u >> (32 - bits); }

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

/// Keeps `hits` sorted by offset, then by word. They arrive almost in order: windows do, and literals begin near
/// theirs.
void append_sorted(std::vector<Hit>& hits, std::size_t first, Hit hit) {
  hits.push_back(hit);
  for (std::size_t i = hits.size() - 1; i > first; --i) {
    const Hit& before = hits[i - 1];
    if (before.offset < hit.offset || (before.offset == hit.offset && before.word < hit.word)) break;
    std::swap(hits[i - 1], hits[i]);
  }
}

}  // namespace

LiteralScanner::LiteralScanner(std::vector<Literal> literals) : literals_(std::move(literals)) {
  std::vector<std::string> texts;
  std::vector<bool> ignore_case;
  for (Literal& literal : literals_) {
    ACCELPORT_CHECK(literal.text.size() >= 3);
    if (literal.ignore_case) literal.text = ascii_lower(literal.text);
    overlaps_.push_back(overlaps_itself(literal.text) ? 1 : 0);
    texts.push_back(literal.text);
    ignore_case.push_back(literal.ignore_case);
  }
  const LiteralGroups groups = group_literals(texts, ignore_case);
  for (std::size_t bucket = 0; bucket < groups.buckets.size(); ++bucket) {
    for (int k = 0; k < kWindow; ++k) {
      const NibbleSet& set = groups.sets[bucket][k];
      const auto bit = static_cast<std::uint8_t>(groups.buckets[bucket].empty() ? 0 : 1u << bucket);
      for (int nibble = 0; nibble < 32; ++nibble) {
        if ((set.low >> (nibble & 15) & 1) != 0) low_[k][nibble] |= bit;
        if ((set.high >> (nibble & 15) & 1) != 0) high_[k][nibble] |= bit;
      }
    }
  }
  for (std::uint16_t i = 0; i < literals_.size(); ++i) add_candidate(i, groups.anchors[i]);
  index_candidates();
}

void LiteralScanner::add_candidate(std::uint16_t index, std::uint8_t anchor) {
  const Literal& literal = literals_[index];
  char mask[4] = {}, bytes[4] = {};
  for (std::size_t k = 0; k < 4 && anchor + k < literal.text.size(); ++k) {
    const char c = literal.text[anchor + k];
    // Letters differ from their other case in one bit.
    mask[k] = literal.ignore_case && is_ascii_alpha(c) ? static_cast<char>(0xDF) : static_cast<char>(0xFF);
    bytes[k] = static_cast<char>(c & mask[k]);
  }
  candidates_.push_back({load4(mask), load4(bytes), index, anchor});
}

/// Sorts the candidates by slot, so that those of a slot lie together.
void LiteralScanner::index_candidates() {
  const auto slot = [](const Candidate& candidate) { return slot_of(candidate.bytes, kSlotBits); };
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [&](const Candidate& a, const Candidate& b) { return slot(a) < slot(b); });
  for (const Candidate& candidate : candidates_) ++slots_[slot(candidate) + 1];
  for (std::size_t i = 1; i < slots_.size(); ++i) slots_[i] += slots_[i - 1];
}

bool LiteralScanner::occurs(std::string_view text, std::size_t place, const Candidate& candidate) const {
  if ((load4(text.data() + place) & candidate.mask) != candidate.bytes || place < candidate.anchor) return false;
  const Literal& literal = literals_[candidate.literal];
  const std::size_t offset = place - candidate.anchor;
  if (literal.text.size() > text.size() - offset) return false;
  const char* here = text.data() + offset;
  return literal.ignore_case ? equals_ignoring_case(here, literal.text)
                             : std::memcmp(here, literal.text.data(), literal.text.size()) == 0;
}

template <typename Found>
void LiteralScanner::run(std::string_view text, Found found) const {
  const auto filter = use_avx2() ? kFilterFast : filter_scalar;
  Places places;
  for (std::size_t next = 0; next < text.size();) {
    places.count = 0;
    next = filter(text.data(), next, text.size(), low_, high_, places);
    for (std::size_t i = 0; i < places.count; ++i) {
      const std::size_t place = places.at[i];
      if (place >= text.size()) return;  // the last block reaches into the padding
      const std::uint32_t slot = slot_of(load4(text.data() + place), kSlotBits);
      for (std::uint32_t c = slots_[slot]; c != slots_[slot + 1]; ++c) {
        const Candidate& candidate = candidates_[c];
        if (occurs(text, place, candidate) && !found(place - candidate.anchor, candidate.literal)) return;
      }
    }
  }
}

void LiteralScanner::scan(std::string_view text, std::vector<Hit>& hits) const {
  const std::size_t first = hits.size();
  std::vector<std::size_t> ends;  // only for literals that can overlap themselves
  run(text, [&](std::size_t offset, std::uint16_t index) {
    const std::string& literal = literals_[index].text;
    if (overlaps_[index] != 0) {
      ends.resize(literals_.size());
      if (offset < ends[index]) return true;
      ends[index] = offset + literal.size();
    }
    append_sorted(hits, first, {static_cast<std::uint32_t>(offset), index, static_cast<std::uint16_t>(literal.size())});
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
