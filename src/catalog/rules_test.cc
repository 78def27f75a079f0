#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/load.h"

namespace accelport {
namespace {

std::vector<DataFile> rule_files() {
  std::vector<DataFile> files = embedded_data();
  std::erase_if(files, [](const DataFile& f) { return !f.path.starts_with("rules/") || !f.path.ends_with(".toml"); });
  return files;
}

/// All of the knowledge that can be loaded; a broken rule fails its own test and no other.
const Catalog& catalog() {
  static const Catalog loaded = [] {
    std::vector<DataFile> files = embedded_data();
    std::erase_if(files, [](const DataFile& f) {
      return f.path.starts_with("rules/") && f.path.ends_with(".toml") && !load_rule(f);
    });
    auto result = load_catalog(files);
    EXPECT_TRUE(result) << to_string(result.error());
    return result ? std::move(*result) : Catalog{};
  }();
  return loaded;
}

TEST(Knowledge, Loads) {
  const auto result = load_catalog(embedded_data());
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_FALSE(result->platforms.empty());
  EXPECT_FALSE(result->rules.empty());
  EXPECT_EQ(result->terms_by_word.size(), result->first_trigger);
  EXPECT_TRUE(std::is_sorted(result->platforms.begin(), result->platforms.end(),
                             [](const Platform& a, const Platform& b) { return a.name < b.name; }));
}

class RuleCases : public testing::TestWithParam<DataFile> {};

TEST_P(RuleCases, Hold) {
  const auto loaded = load_rule(GetParam());
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  const Rule* rule = catalog().find_rule(loaded->id);
  ASSERT_NE(rule, nullptr);
  for (const Error& error : verify_rule_cases(catalog(), *rule)) ADD_FAILURE() << to_string(error);
}

std::string test_name(const testing::TestParamInfo<DataFile>& info) {
  std::string name = info.param.path.substr(info.param.path.rfind('/') + 1);
  name.resize(name.size() - 5);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, RuleCases, testing::ValuesIn(rule_files()), test_name);

}  // namespace

void PrintTo(const DataFile& file, std::ostream* out) { *out << file.path; }

}  // namespace accelport
