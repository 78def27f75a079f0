#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/load.h"

namespace accelport {
namespace {

std::string with_schema(std::string_view rest) { return "schema = \"accelport.terms/1\"\n" + std::string(rest); }

std::string error_of(std::string_view rest) {
  const auto list = load_terms({"terms.toml", with_schema(rest)});
  return list ? "no error" : to_string(list.error());
}

constexpr std::string_view kCuda = "[[word]]\ntext = 'cuda'\nwhy = 'x'\n";

TEST(LoadTerms, Errors) {
  const auto word = [](std::string text) { return "[[word]]\nwhy = 'x'\ntext = '" + text + "'\n"; };
  const auto term = [](std::string text, std::string of = "cuda") {
    return std::string(kCuda) + "[[term]]\ntext = '" + text + "'\nword = '" + of + "'\n";
  };
  EXPECT_EQ(error_of(""), "terms.toml:1: the search list has no [[word]]");
  EXPECT_EQ(error_of(word("ab")), "terms.toml:4: 'ab': a term has 3 to 200 bytes");
  EXPECT_EQ(error_of(word("abé")), "terms.toml:4: 'abé': a word is ASCII, so that its case can be ignored");
  EXPECT_EQ(error_of(word("xyx")), "terms.toml:4: 'xyx' can overlap itself (add overlaps_itself = true)");
  EXPECT_EQ(error_of(std::string(kCuda) + word("CUDA")), "terms.toml:7: 'CUDA' is listed twice (case does not matter)");
  EXPECT_EQ(error_of(std::string(kCuda) + "overlaps_itself = true\n"),
            "terms.toml:3: 'cuda' cannot overlap itself (drop overlaps_itself)");
  EXPECT_EQ(error_of(term("torch.cuda", "cdua")), "terms.toml:7: 'cdua' is not a [[word]] (did you mean 'cuda'?)");
  EXPECT_EQ(error_of(term("torch")), "terms.toml:6: 'torch' must hold the word 'cuda' exactly once");
  EXPECT_EQ(error_of(term("cuda.cuda")), "terms.toml:6: 'cuda.cuda' can overlap itself (add overlaps_itself = true)");
  EXPECT_EQ(error_of(std::string(kCuda) + "wy = 1\n"),
            "terms.toml:5: unknown key 'wy' in [[word]] (did you mean 'why'?)");
}

TEST(LoadTerms, AWordThatHidesItsTermIsRefused) {
  const std::string list = "[[word]]\ntext = 'aba'\noverlaps_itself = true\nwhy = 'x'\n";
  const auto term = [&](std::string text) {
    return error_of(list + "[[term]]\nword = 'aba'\ntext = '" + text + "'\n");
  };
  EXPECT_EQ(term("ababac"), "terms.toml:8: 'ababac' must hold the word 'aba' exactly once");
  EXPECT_EQ(term("abac"), "terms.toml:8: hits of 'aba' can hide 'abac' (make it a [[word]])");
  EXPECT_EQ(term("babac"), "terms.toml:8: hits of 'aba' can hide 'babac' (make it a [[word]])");
  EXPECT_EQ(term("_abac"), "no error");
}

TEST(LoadTerms, ExtraTerms) {
  auto list = *load_terms({"terms.toml", with_schema(kCuda)});
  EXPECT_TRUE(add_term(list, "Cuda", "here"));
  EXPECT_EQ(list.terms.size(), 1u);
  EXPECT_TRUE(add_term(list, "torch.cuda", "here"));
  EXPECT_EQ(list.terms.back().word, 0);
  EXPECT_EQ(list.terms.back().before, 6);
  EXPECT_EQ(list.words.size(), 1u);
  EXPECT_TRUE(add_term(list, "my_kernel", "here"));
  EXPECT_EQ(list.words.size(), 2u);
  EXPECT_EQ(to_string(add_term(list, "x", "here").error()), "here: extra term 'x': a term has 3 to 200 bytes");
  EXPECT_FALSE(add_term(list, "cu\nda", "here"));
  EXPECT_FALSE(add_term(list, "", "here"));
}

using Counts = std::map<std::pair<std::string, std::size_t>, int>;

/// What `grep -o -i -F` finds: from the left, without overlaps.
Counts naive(const std::vector<Term>& terms, std::string_view text) {
  Counts counts;
  for (const Term& term : terms) {
    for (std::size_t at = 0; at + term.text.size() <= text.size();) {
      const bool here = starts_with_ignoring_case(text.substr(at), term.text);
      if (here) ++counts[{term.text, at}];
      at += here ? term.text.size() : 1;
    }
  }
  return counts;
}

std::string random_text(std::mt19937& random, std::size_t size, std::string_view letters) {
  std::string text(size, ' ');
  for (char& c : text) c = letters[random() % letters.size()];
  return text;
}

/// Random search lists over an alphabet so small that words overlap themselves, each other and the terms' borders.
TEST(ForEachTerm, CountsAsGrepDoes) {
  std::mt19937 random(7);
  int found = 0;
  for (int round = 0; round < 3000; ++round) {
    SearchList list;
    for (int i = 0; i < 6; ++i) {
      ASSERT_TRUE(add_term(list, random_text(random, 3 + random() % 5, "abB"), "here"));
    }
    Catalog catalog;
    std::vector<LiteralScanner::Literal> literals;
    for (const std::string& word : list.words) literals.push_back({word, true});
    catalog.terms_by_word.resize(list.words.size());
    for (std::size_t i = 0; i < list.terms.size(); ++i) {
      catalog.terms_by_word[list.terms[i].word].push_back(static_cast<std::uint16_t>(i));
    }
    catalog.terms = list.terms;
    const LiteralScanner scanner(literals);
    const std::string text = random_text(random, random() % 120, "abAB\n");
    const std::string padded = text + std::string(kTextPadding, 'a');
    std::vector<Hit> hits;
    scanner.scan(std::string_view(padded).substr(0, text.size()), hits);
    Counts counts;
    for_each_term(catalog, std::string_view(padded).substr(0, text.size()), hits,
                  [&](std::size_t term, std::uint32_t offset, std::uint32_t size) {
                    EXPECT_EQ(size, list.terms[term].text.size());
                    ++counts[{list.terms[term].text, offset}];
                    ++found;
                  });
    ASSERT_EQ(counts, naive(list.terms, text)) << "round " << round << ": " << text;
  }
  EXPECT_GT(found, 1000);
}

}  // namespace
}  // namespace accelport
