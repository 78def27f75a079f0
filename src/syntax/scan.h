#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/literal_groups.h"
#include "syntax/site.h"

namespace accelport {

/// Bytes that must be readable (their value does not matter) behind every text given to a scanner or reader.
inline constexpr std::size_t kTextPadding = 128;

/// Finds many short literals in one pass. AVX2 where the processor has it, a scalar path otherwise; both give the same
/// hits. Immutable once built, so all threads share one.
class LiteralScanner {
 public:
  struct Literal {
    std::string text;  // at least 3 bytes, ASCII
    bool ignore_case = false;
  };

  /// `literals[i]` is reported as Hit::word == i. None may be empty or shorter than 3 bytes.
  explicit LiteralScanner(std::vector<Literal> literals);

  /// Appends every occurrence of every literal, sorted by offset, then by index. Occurrences of one literal do not
  /// overlap.
  void scan(std::string_view text, std::vector<Hit>& hits) const;
  /// True as soon as one literal occurs.
  bool any(std::string_view text) const;

  const std::vector<Literal>& literals() const { return literals_; }

  /// The path in use: "avx2" or "scalar".
  static std::string_view path();
  /// Makes every scanner use the scalar path from now on; ACCELPORT_SCALAR=1 in the environment does so from the start.
  static void force_scalar(bool on);

 private:
  static constexpr int kSlotBits = 12;

  /// What is compared first when the filter lets a place pass: the literal's window, in one case.
  struct Candidate {
    std::uint32_t mask = 0;  // bits that tell
    std::uint32_t bytes = 0;
    std::uint16_t literal = 0;
    std::uint8_t anchor = 0;  // where the window begins in the literal
  };

  template <typename Found>
  void run(std::string_view text, Found found) const;
  void add_candidate(std::uint16_t index, std::uint8_t anchor);
  void index_candidates();
  bool occurs(std::string_view text, std::size_t place, const Candidate& candidate) const;

  std::vector<Literal> literals_;
  std::vector<std::uint8_t> overlaps_;                       // by literal: whether occurrences of it can overlap ("aa")
  std::vector<Candidate> candidates_;                        // by slot of their first three bytes
  std::array<std::uint16_t, (1 << kSlotBits) + 1> slots_{};  // where the candidates of a slot begin
  std::array<std::array<std::uint8_t, 32>, kWindow> low_{};  // by place in the window and half of a byte: the buckets
  std::array<std::array<std::uint8_t, 32>, kWindow> high_{};
};

}  // namespace accelport
