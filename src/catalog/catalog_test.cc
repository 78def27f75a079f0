#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/site_names.h"
#include "syntax/reader.h"

namespace accelport {
namespace {

constexpr std::string_view kTerms = "schema = \"accelport.terms/1\"\n[[word]]\ntext = \"cuda\"\nwhy = \"x\"\n";

/// A rule for chains with this api and order, of which an outcome retains what NVIDIA guards.
std::string rule_text(const std::string& api, int order, const std::string& extra = "") {
  return "summary = 's'\nwhy = 'w'\ncategory = 'device-selection'\ndecision = 'abstract'\nreason = 'r'\norder = " +
         std::to_string(order) + "\n" + extra + "[[match]]\nkind = 'chain'\napi = ['" + api +
         "']\n[[outcome]]\ndecision = 'retain'\n[[outcome.when]]\nguard = ['nvidia']\n"
         "[[case]]\nsource = 'import torch; torch.cuda.is_available()'\nexpect = ['1: torch.cuda']\n"
         "[[case]]\nsource = 'x'\nexpect = []\n";
}

Result<Catalog> load(const std::vector<std::pair<std::string, std::string>>& rules) {
  std::vector<DataFile> files = {
      {"terms.toml", kTerms}, {"rules/README.md", "not a rule"}, {"gates.toml", "= not read"}};
  for (const auto& [path, text] : rules) files.push_back({path, text});
  return load_catalog(files);
}

Site chain(const std::string& api, Guard guards = Guard::none) {
  Site site;
  site.kind = SiteKind::chain;
  site.api = api;
  site.guards = guards;
  return site;
}

TEST(Catalog, SmallerOrderIsAskedFirstThenTheId) {
  const auto catalog = load({{"rules/torch/c.toml", rule_text("torch.*", 1)},
                             {"rules/torch/b.toml", rule_text("torch.*", 500)},
                             {"rules/own/a.toml", rule_text("torch.cuda", 500)}});
  ASSERT_TRUE(catalog) << to_string(catalog.error());
  EXPECT_EQ(catalog->rules[0].id, "c");
  EXPECT_EQ(catalog->rules[1].id, "a");
  EXPECT_EQ(explain_site(*catalog, chain("torch.cuda"), std::string_view(""), "a.py", FileRole::none).rule->id, "c");
  ASSERT_NE(catalog->find_rule("b"), nullptr);
  EXPECT_EQ(catalog->find_rule("x"), nullptr);
  EXPECT_EQ(catalog->find_platform("x"), nullptr);
}

TEST(Catalog, TheFirstOutcomeThatHoldsDecides) {
  const auto catalog = load({{"rules/torch/a.toml", rule_text("torch.*", 1)}});
  ASSERT_TRUE(catalog);
  const auto decide = [&](const Site& site) {
    return explain_site(*catalog, site, std::string_view(""), "a.py", FileRole::none).outcome->decision;
  };
  EXPECT_EQ(decide(chain("torch.cuda")), Decision::abstract);
  EXPECT_EQ(decide(chain("torch.cuda", Guard::nvidia)), Decision::retain);
  EXPECT_EQ(explain_site(*catalog, chain("numpy"), std::string_view(""), "a.py", FileRole::none).rule, nullptr);
}

TEST(Catalog, CatchAllsAreForSitesWithAHit) {
  const auto catalog = load({{"rules/own/a.toml", rule_text("*", kCatchAllOrder)}});
  ASSERT_TRUE(catalog);
  const Site site = chain("x");
  EXPECT_NE(explain_site(*catalog, site, std::string_view(""), "a.py", FileRole::none, true).rule, nullptr);
  EXPECT_EQ(explain_site(*catalog, site, std::string_view(""), "a.py", FileRole::none, false).rule, nullptr);
}

TEST(Catalog, TwoRulesOfOneNameAreRefused) {
  const auto catalog = load({{"rules/torch/a.toml", rule_text("x", 1)}, {"rules/own/a.toml", rule_text("y", 2)}});
  ASSERT_FALSE(catalog);
  EXPECT_EQ(to_string(catalog.error()),
            "rules/own/a.toml:1: there are two rules called 'a' (the name is the rule's id; rename one of the files)");
}

TEST(Catalog, TheSearchListMustBeThere) {
  const auto catalog = load_catalog({});
  ASSERT_FALSE(catalog);
  EXPECT_EQ(to_string(catalog.error()), "terms.toml: the search list is missing");
}

TEST(Catalog, TriggersFollowTheWords) {
  const auto catalog =
      load({{"rules/torch/a.toml", rule_text("x", 1, "triggers = ['import torch', 'is_available']\n")}});
  ASSERT_TRUE(catalog) << to_string(catalog.error());
  EXPECT_EQ(catalog->words, (std::vector<std::string>{"cuda", "import torch", "is_available"}));
  EXPECT_EQ(catalog->first_trigger, 1u);
}

TEST(VerifyRuleCases, NamesWhatWasFoundInstead) {
  const auto catalog = load({{"rules/torch/a.toml", rule_text("torch.nothing", 1)}});
  ASSERT_TRUE(catalog);
  const auto errors = verify_rule_cases(*catalog, catalog->rules[0]);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].message.find("does not explain \"1: torch.cuda\""), std::string::npos) << errors[0].message;
  EXPECT_NE(errors[0].message.find("by no rule"), std::string::npos) << errors[0].message;
}

TEST(VerifyRuleCases, ATriggerNeedsACase) {
  const auto catalog =
      load({{"rules/torch/a.toml", rule_text("torch.*", 1, "triggers = ['import torch', 'DataParallel']\n")}});
  ASSERT_TRUE(catalog) << to_string(catalog.error());
  const auto errors = verify_rule_cases(*catalog, catalog->rules[0]);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(to_string(errors[0]),
            "rules/torch/a.toml: trigger 'DataParallel' occurs in no positive case "
            "(add a case that needs it, or drop it)");
}

TEST(VerifyRuleCases, NamesWhatNobodyExpected) {
  const std::string text = rule_text("torch.*", 1);
  const auto catalog =
      load({{"rules/torch/a.toml", text.substr(0, text.find("[[case]]")) +
                                       "[[case]]\nsource = 'import torch; torch.cuda.x(); torch.cuda.y()'\n"
                                       "expect = ['1: torch.cuda.x = device-selection/retain']\n"
                                       "[[case]]\nsource = 'x'\nexpect = []\n"}});
  ASSERT_TRUE(catalog) << to_string(catalog.error());
  const auto errors = verify_rule_cases(*catalog, catalog->rules[0]);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(to_string(errors[0]),
            "rules/torch/a.toml:14: another decision than expected: \"1: torch.cuda.x = device-selection/abstract\"");
  EXPECT_EQ(
      to_string(errors[1]),
      "rules/torch/a.toml:14: explains what 'expect' does not name: \"1: torch.cuda.y = device-selection/abstract\"");
}

TEST(SiteNames, FlagsAndNeighbours) {
  EXPECT_EQ(to_string(Guard::available | Guard::cuda_only_source), "available, cuda_only_source");
  EXPECT_EQ(to_string(Flow::none), "");
  EXPECT_EQ(to_string(FileRole::test), "test");
  EXPECT_EQ(to_string(SiteKind::chain), "chain");
  EXPECT_EQ(to_string(Context::other), "other");
  EXPECT_EQ(nearest_name("subscripts", context_names()), "subscript");
  EXPECT_EQ(nearest_name("zzzzzz", context_names()), "");
  EXPECT_EQ(nearest_name(std::string(1000, 'a'), context_names()), "");
  EXPECT_EQ(language_names().size(), static_cast<std::size_t>(Language::text) + 1);
}

TEST(Finding, NamesGoBothWays) {
  for (int i = 0; i < kCategories; ++i) {
    EXPECT_EQ(parse_category(to_string(static_cast<Category>(i))), static_cast<Category>(i));
  }
  for (int i = 0; i < kDecisions; ++i) {
    EXPECT_EQ(parse_decision(to_string(static_cast<Decision>(i))), static_cast<Decision>(i));
  }
  EXPECT_EQ(to_string(Means::null), "null");
  EXPECT_FALSE(parse_category("Device-selection"));
  EXPECT_FALSE(parse_phase(""));
}

}  // namespace
}  // namespace accelport
