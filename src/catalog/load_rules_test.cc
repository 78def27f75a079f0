#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/files.h"
#include "catalog/load.h"

namespace accelport {
namespace {

/// A good rule; the tests of what a loaded rule holds change it.
constexpr std::string_view kGood = R"toml(summary = "one"
why = "two"
category = "device-selection"
decision = "abstract"
means = "helper"
action = "rewrite"
helper = "is_available"
replacement = "f({api})"
reason = "three"
[[match]]
kind = "chain"
api = ["torch.cuda.*", "x"]
text = ['a', 'b']
[[outcome]]
decision = "retain"
[[outcome.when]]
guard = ["nvidia"]
[[outcome]]
decision = "replace"
means = ""
confidence = "likely"
phase = "tests"
effort = "redesign"
[[outcome.when]]
argument = 1
[[case]]
source = "torch.cuda = 1 = a/b"
expect = ["1: torch.cuda", "1: torch.cuda = amp-memory/replace", "1: torch.cuda = 1"]
[[case]]
path = "setup.py"
source = """
cuda
"""
expect = []
)toml";

Rule good_rule() {
  auto rule = load_rule({"rules/torch/good-rule.toml", kGood});
  EXPECT_TRUE(rule) << to_string(rule.error());
  return rule ? *rule : Rule{};
}

TEST(LoadRule, NameComesFromThePath) {
  const Rule rule = good_rule();
  EXPECT_EQ(rule.id, "good-rule");
  EXPECT_EQ(rule.group, "torch");
  EXPECT_EQ(rule.order, 500);
}

TEST(LoadRule, OutcomesTakeOverTheDefaults) {
  const Rule rule = good_rule();
  ASSERT_EQ(rule.outcomes.size(), 3u);
  const Outcome& replaced = rule.outcomes[1];
  EXPECT_EQ(replaced.category, Category::device_selection);
  EXPECT_EQ(replaced.decision, Decision::replace);
  EXPECT_EQ(replaced.means, Means::null);
  EXPECT_EQ(replaced.confidence, Confidence::likely);
  EXPECT_EQ(replaced.phase, Phase::tests);
  EXPECT_EQ(replaced.effort, Effort::redesign);
  EXPECT_EQ(replaced.action, PortAction::rewrite);
  EXPECT_EQ(replaced.replacement, "f({api})");
  EXPECT_EQ(replaced.reason, "three");
  EXPECT_TRUE(rule.outcomes[2].when.empty());
}

TEST(LoadRule, WhatIsRetainedTakesNoEditOver) {
  const Outcome retained = good_rule().outcomes[0];
  EXPECT_EQ(retained.decision, Decision::retain);
  EXPECT_EQ(retained.action, PortAction::none);
  EXPECT_EQ(retained.means, Means::null);
  EXPECT_EQ(retained.replacement, "");
}

TEST(LoadRule, AListOfExpressionsHoldsIfOneDoes) {
  const Condition condition = good_rule().match[0];
  ASSERT_TRUE(condition.text);
  EXPECT_TRUE(condition.text->found_in("xbx"));
  EXPECT_FALSE(condition.text->found_in("xcx"));
}

TEST(LoadRule, ExpectationsAreSplit) {
  const Rule rule = good_rule();
  const auto& expected = rule.cases[0].expected;
  ASSERT_EQ(expected.size(), 3u);
  EXPECT_EQ(expected[0].text, "torch.cuda");
  EXPECT_FALSE(expected[0].category);
  EXPECT_EQ(expected[1].text, "torch.cuda");
  EXPECT_EQ(expected[1].category, Category::amp_memory);
  EXPECT_EQ(expected[1].decision, Decision::replace);
  EXPECT_EQ(expected[2].text, "torch.cuda = 1");
}

TEST(LoadRule, NewlineBehindTheQuotesIsALine) {
  const Rule rule = good_rule();
  EXPECT_EQ(rule.cases[0].first_line, 1);
  EXPECT_EQ(rule.cases[1].first_line, 2);
  EXPECT_EQ(rule.cases[1].path, "setup.py");
  EXPECT_EQ(rule.cases[1].source, "cuda\n");
}

/// Each file of tests/rules_bad is a good rule with one thing wrong; its first line is a comment with the message.
TEST(LoadRule, BrokenRulesAreNamedWithTheMend) {
  const std::string folder = std::string(ACCELPORT_SOURCE_DIR) + "/tests/rules_bad";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++files;
    SCOPED_TRACE(entry.path().filename().string());
    ByteBuffer buffer;
    ASSERT_TRUE(real_files().read(entry.path().string(), 1 << 20, buffer));
    const std::string path = "rules/torch/" + entry.path().filename().string();
    const auto rule = load_rule({path, buffer.view()});
    ASSERT_FALSE(rule);
    EXPECT_EQ(rule.error().kind, Error::Kind::data);
    const std::string expected(buffer.view().substr(2, buffer.view().find('\n') - 2));
    EXPECT_EQ(to_string(rule.error()), path + ":" + expected);
  }
  EXPECT_GE(files, 70);
}

TEST(LoadRule, PathMustNameAGroup) {
  const auto rule = load_rule({"rules/strnigs/good-rule.toml", kGood});
  ASSERT_FALSE(rule);
  EXPECT_EQ(to_string(rule.error()),
            "rules/strnigs/good-rule.toml:1: unknown group 'strnigs' (did you mean 'strings'?)");
  EXPECT_FALSE(load_rule({"good-rule.toml", kGood}));
  EXPECT_FALSE(load_rule({"", kGood}));
}

TEST(LoadRule, CarriageReturnsAreLineEnds) {
  std::string text(kGood);
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2))
    text.insert(at, 1, '\r');
  const auto rule = load_rule({"rules/torch/good-rule.toml", text});
  ASSERT_TRUE(rule) << to_string(rule.error());
  EXPECT_EQ(rule->cases[1].first_line, 2);
}

}  // namespace
}  // namespace accelport
