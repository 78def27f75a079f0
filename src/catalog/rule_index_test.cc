#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/rule_index.h"

namespace accelport {
namespace {

using namespace std::string_view_literals;

constexpr std::array kNames{"torch.cuda.x"sv, "torch.cuda"sv, "torch"sv, "?.cuda"sv, "?.a.cuda"sv, "at::cuda::f"sv,
                            "env:A"sv,        "x"sv,          "."sv,     "..x"sv,    "torch."sv};
constexpr std::array kGlobs{"torch.*"sv, "torch.cuda.*"sv, "*.cuda"sv, "*cuda"sv, "*"sv,       "t*"sv, "at::*"sv,
                            "*::f"sv,    "env:*"sv,        "*.c*"sv,   "*.*.x"sv, "torch*x"sv, ".*"sv, "**.x"sv};

std::string_view pick_name(std::mt19937& random) {
  return random() % 2 == 0 ? kNames[random() % kNames.size()] : kGlobs[random() % kGlobs.size()];
}

Condition random_condition(std::mt19937& random) {
  Condition condition;
  const auto add = [&](NameSet& names) {
    for (std::size_t n = random() % 3; n > 0; --n) names.add(std::string(pick_name(random)));
  };
  if (random() % 2 == 0) condition.kinds = static_cast<std::uint32_t>(random() % 8);
  if (random() % 2 == 0) condition.guards = Guard::nvidia;
  add(condition.api);
  if (random() % 3 == 0) add(condition.callee);
  if (random() % 3 == 0) add(condition.keyword);
  if (random() % 4 == 0) add(condition.first_argument);
  return condition;
}

Site random_site(std::mt19937& random) {
  Site site;
  site.kind = static_cast<SiteKind>(random() % 3);
  const auto name = [&] { return random() % 8 == 0 ? std::string() : std::string(kNames[random() % kNames.size()]); };
  site.api = name();
  site.callee = name();
  site.keyword = name();
  site.first_argument = name();
  if (random() % 2 == 0) site.guards = Guard::nvidia;
  return site;
}

int ask_all(const std::vector<Rule>& rules, const SiteView& view, std::size_t end) {
  for (std::size_t r = 0; r < end; ++r) {
    for (const Condition& condition : rules[r].match) {
      if (holds(condition, view)) return static_cast<int>(r);
    }
  }
  return -1;
}

TEST(RuleIndex, GivesTheRuleThatAskingAllGives) {
  std::mt19937 random(3);
  int explained = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<Rule> rules(random() % 12);
    for (Rule& rule : rules) {
      for (std::size_t n = 1 + random() % 3; n > 0; --n) rule.match.push_back(random_condition(random));
    }
    const RuleIndex index(rules);
    for (int i = 0; i < 100; ++i) {
      const Site site = random_site(random);
      const FileText text("");
      const SiteView view{site, text, "", "a.py", FileRole::none};
      const std::size_t end = rules.empty() ? 0 : random() % (rules.size() + 1);
      const int expected = ask_all(rules, view, end);
      ASSERT_EQ(index.first_match(rules, view, static_cast<std::uint16_t>(end)), expected)
          << site.api << " " << site.callee << " " << site.keyword << " " << site.first_argument;
      explained += expected >= 0;
    }
  }
  EXPECT_GT(explained, 5000);
}

TEST(RuleIndex, EmptyExplainsNothing) {
  const Site site;
  const FileText text("");
  EXPECT_EQ(RuleIndex().first_match({}, {site, text, "", "", FileRole::none}, 0), -1);
}

}  // namespace
}  // namespace accelport
