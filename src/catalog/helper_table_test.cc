#include "catalog/helper_table.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace accelport {
namespace {

class HelperTableTest : public testing::Test {
 protected:
  void SetUp() override {
    auto table = embedded_helper_table();
    ASSERT_TRUE(table) << to_string(table.error());
    table_ = std::move(*table);
    auto catalog = load_catalog(embedded_data());
    ASSERT_TRUE(catalog) << to_string(catalog.error());
    catalog_ = std::move(*catalog);
    for (const Platform& platform : catalog_.platforms) platforms_.push_back(&platform);
  }

  std::set<std::string> all() const {
    std::set<std::string> names;
    for (const HelperFunction& function : table_.functions) names.insert(function.name);
    return names;
  }

  HelperTable table_;
  Catalog catalog_;
  std::vector<const Platform*> platforms_;
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_F(HelperTableTest, HoldsOnlyWhatIsUsedAndNeeded) {
  const std::string text = render_helper(table_, platforms_, {"is_available"});
  for (const char* there : {"def is_available(", "def accelerator_module(", "def accelerator_type(", "def _platform(",
                            "def _installed(", "_PLATFORMS"})
    EXPECT_TRUE(has(text, there)) << there;
  for (const char* absent : {"def synchronize(", "def distributed_backend(", "def _platform_without_torch(",
                             "import ctypes", "import os", "@titles@"})
    EXPECT_FALSE(has(text, absent)) << absent;
  EXPECT_TRUE(has(text, "from typing import Any, List, NamedTuple, Optional, Tuple\n"));
  EXPECT_TRUE(text.starts_with("# SPDX-License-Identifier: 0BSD\n"));
  EXPECT_TRUE(text.ends_with("\n") && !text.ends_with("\n\n"));
}

TEST_F(HelperTableTest, OrderIsTheTablesAndNotTheCallers) {
  const std::string text = render_helper(table_, platforms_, {"synchronize", "device_count", "no_such_function"});
  EXPECT_LT(text.find("def device_count("), text.find("def synchronize("));
  EXPECT_EQ(text, render_helper(table_, platforms_, {"device_count", "synchronize", "accelerator_type"}));
}

TEST_F(HelperTableTest, AllFunctionsMatchTheGoldenText) {
  ByteBuffer golden;
  const auto read =
      real_files().read(std::string(ACCELPORT_SOURCE_DIR) + "/tests/port/accelerator_all.py", 1 << 20, golden);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(render_helper(table_, platforms_, all()), golden.view());
}

TEST_F(HelperTableTest, RecognisesItsOwnText) {
  const std::set<std::string> used = {"accelerator_type", "_platform", "_installed"};
  const std::string text = render_helper(table_, platforms_, used);
  EXPECT_EQ(rendered_functions(table_, platforms_, text), used);
  std::string edited = text;
  edited.replace(edited.find("\"cuda\" if"), 6, "\"cpu\"");
  EXPECT_FALSE(rendered_functions(table_, platforms_, edited));
  EXPECT_FALSE(rendered_functions(table_, platforms_, text + "\n"));
  EXPECT_FALSE(rendered_functions(table_, platforms_, text + "\n\ndef extra():\n    pass\n"));
  EXPECT_FALSE(rendered_functions(table_, platforms_, ""));
}

std::string error_of(std::string_view text) {
  const auto table = load_helper_table({"port/helper.toml", text});
  return table ? "" : to_string(table.error());
}

TEST(HelperTableErrors, NameThePlace) {
  const std::string start =
      "schema = 'accelport.helper/1'\nnames = ['a']\nhead = 'h'\n[platforms]\nimports = ['import x']\nbefore = 'b'\n"
      "after = 'c'\n";
  EXPECT_EQ(error_of(start), "");
  EXPECT_TRUE(has(error_of("schema = 'other/1'\n"), "port/helper.toml:1"));
  EXPECT_TRUE(has(error_of(start + "[[function]]\nname = 'f'\nkind = 'literal'\nimports = []\nneeds = []\n"
                                   "source = 'def f():'\n"),
                  "this kind needs 'stands_for'"));
  EXPECT_TRUE(has(error_of(start + "[[function]]\nname = 'f'\nkind = 'private'\nimports = []\nneeds = ['g']\n"
                                   "source = 'def f():'\n"),
                  "'f' needs 'g'"));
  EXPECT_TRUE(has(error_of(start + "[[function]]\nname = 'f'\nkind = 'private'\nimports = []\nneeds = []\n"
                                   "source = 'def g():'\n"),
                  "does not define 'f'"));
  EXPECT_TRUE(has(error_of(start + "[[call]]\nold = 'a'\nnewer = 'b'\n"), "newer"));
}

}  // namespace
}  // namespace accelport
