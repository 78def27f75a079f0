#include "syntax/scan.h"

#include <random>

#include <gtest/gtest.h>

namespace accelport {
namespace {

using Literals = std::vector<LiteralScanner::Literal>;

std::vector<Hit> scan(const Literals& literals, std::string text) {
  const std::size_t size = text.size();
  text.append(kTextPadding, 'c');
  std::vector<Hit> hits;
  LiteralScanner(literals).scan({text.data(), size}, hits);
  return hits;
}

/// Occurrences by comparing at every offset.
std::vector<Hit> brute_force(const Literals& literals, std::string_view text) {
  std::vector<Hit> hits;
  std::vector<std::size_t> ends(literals.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (std::uint16_t k = 0; k < literals.size(); ++k) {
      const std::string& literal = literals[k].text;
      if (i < ends[k] || text.size() - i < literal.size()) continue;
      const std::string_view part = text.substr(i, literal.size());
      if (literals[k].ignore_case ? ascii_lower(part) != ascii_lower(literal) : part != literal) continue;
      ends[k] = i + literal.size();
      hits.push_back({static_cast<std::uint32_t>(i), k, static_cast<std::uint16_t>(literal.size())});
    }
  }
  return hits;
}

void expect_equal(const std::vector<Hit>& a, const std::vector<Hit>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].offset, b[i].offset);
    EXPECT_EQ(a[i].word, b[i].word);
    EXPECT_EQ(a[i].size, b[i].size);
  }
}

const Literals kWords = {{"cuda", true},   {"nccl", true}, {"NVML", true}, {"DataParallel(", false},
                         {".to(0", false}, {"aaa", false}, {"cud", true},  {"torch.load(", false}};

TEST(LiteralScanner, FindsWordsInEveryCase) {
  const auto hits = scan({{"cuda", true}}, "Cuda CUDA cuda cUdA cud");
  ASSERT_EQ(hits.size(), 4u);
  EXPECT_EQ(hits[3].offset, 15u);
}

TEST(LiteralScanner, ObeysTheCaseOfOtherLiterals) {
  EXPECT_EQ(scan({{"DataParallel(", false}}, "dataparallel( DataParallel( DATAPARALLEL(").size(), 1u);
}

TEST(LiteralScanner, DoesNotReadThePadding) {
  EXPECT_TRUE(scan({{"cuda", true}}, "cud").empty());
  EXPECT_TRUE(scan({{"xccc", true}}, "x").empty());
  EXPECT_TRUE(scan({{"cuda", true}}, "").empty());
}

TEST(LiteralScanner, SortsByOffsetThenByIndex) {
  const auto hits = scan(kWords, "cuda");
  ASSERT_EQ(hits.size(), 2u);
  EXPECT_EQ(hits[0].word, 0);
  EXPECT_EQ(hits[1].word, 6);
}

TEST(LiteralScanner, CountsOverlapsLikeGrep) { EXPECT_EQ(scan({{"aaa", false}}, "aaaaaaa").size(), 2u); }

TEST(LiteralScanner, TellsWhetherAnyOccurs) {
  std::string text = "nothing here, nccl there";
  const std::size_t size = text.size();
  text.append(kTextPadding, ' ');
  const LiteralScanner scanner(kWords);
  EXPECT_TRUE(scanner.any({text.data(), size}));
  EXPECT_FALSE(scanner.any({text.data(), 16}));
}

TEST(LiteralScanner, BothPathsEqualBruteForce) {
  std::mt19937 random(3);
  constexpr std::string_view kPieces[] = {"cuda",        "CUDA",  "nc",   "cl", "nccl", "aaa",
                                          "a",           ".to(0", "nvml", " ",  "\n",   "DataParallel(",
                                          "torch.load(", "x",     "\xff", "cu", "da"};
  for (int round = 0; round < 400; ++round) {
    std::string text;
    for (unsigned i = 0, n = random() % 60; i < n; ++i) text += kPieces[random() % std::size(kPieces)];
    const auto expected = brute_force(kWords, text);
    expect_equal(scan(kWords, text), expected);
    LiteralScanner::force_scalar(true);
    EXPECT_EQ(LiteralScanner::path(), "scalar");
    expect_equal(scan(kWords, text), expected);
    LiteralScanner::force_scalar(false);
  }
}

TEST(LiteralScanner, HandlesHundredsOfLiterals) {
  Literals literals;
  for (int i = 0; i < 400; ++i) literals.push_back({"word" + std::to_string(i) + "(", false});
  std::string text;
  for (int i = 0; i < 400; i += 7) text += "x = word" + std::to_string(i) + "(y)\n";
  expect_equal(scan(literals, text), brute_force(literals, text));
}

}  // namespace
}  // namespace accelport
