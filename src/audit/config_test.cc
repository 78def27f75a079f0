#include "audit/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace accelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(std::string_view toml) {
  const auto config = parse_config(toml, "accelport.toml");
  return config ? "" : to_string(config.error());
}

TEST(Config, ReadsEverything) {
  const auto config = parse_config(R"(
platforms = ["one", "two"]
include = ["src/"]
exclude = ["*.ipynb"]
terms = ["MyDevice"]
helper = "src/pkg/accelerator.py"
baseline = "ci/baseline.json"
[rules.some-rule]
decision = "retain"
reason = "why"
)",
                                   "accelport.toml");
  ASSERT_TRUE(config) << to_string(config.error());
  EXPECT_THAT(config->platforms, ElementsAre("one", "two"));
  EXPECT_THAT(config->include, ElementsAre("src/"));
  EXPECT_THAT(config->exclude, ElementsAre("*.ipynb"));
  EXPECT_THAT(config->terms, ElementsAre("MyDevice"));
  EXPECT_EQ(config->helper, "src/pkg/accelerator.py");
  EXPECT_EQ(config->baseline, "ci/baseline.json");
  ASSERT_EQ(config->rules.size(), 1u);
  EXPECT_EQ(config->rules[0].rule, "some-rule");
  EXPECT_EQ(config->rules[0].decision, Decision::retain);
}

TEST(Config, ErrorsNameTheLineAndTheMend) {
  EXPECT_THAT(error_of("\nplatform = [\"x\"]"), HasSubstr("accelport.toml:2: unknown key 'platform'"));
  EXPECT_THAT(error_of("\nplatform = [\"x\"]"), HasSubstr("known: platforms"));
  EXPECT_THAT(error_of("platforms = \"x\""), HasSubstr("accelport.toml:1: 'platforms' must be a list of strings"));
  EXPECT_THAT(error_of("\n\nexclude = [1]"), HasSubstr("accelport.toml:3: 'exclude' must be a string"));
  EXPECT_THAT(error_of("rules = 3"), HasSubstr("'rules' must be a table"));
  EXPECT_THAT(error_of("[rules.a]\ndecision = \"retain\""), HasSubstr("needs a reason"));
  EXPECT_THAT(error_of("[rules.a]\ndecision = \"later\"\nreason = \"x\""),
              HasSubstr("accelport.toml:2: 'later' is no decision"));
  EXPECT_THAT(error_of("[rules.a]\ncommand = \"x\""), HasSubstr("unknown key 'command'"));
  EXPECT_THAT(error_of("a = ["), HasSubstr("accelport.toml:1"));
}

TEST(Config, PathsStayBelowTheRoot) {
  for (const char* path : {"/etc/x", "..", "../x", "a/../../x", "a/..", ""})
    EXPECT_THAT(error_of("helper = \"" + std::string(path) + "\""), HasSubstr("must be a path below the repository"))
        << path;
  EXPECT_EQ(error_of("helper = \"a..b/c.py\""), "");
}

TEST(Config, IsReadFromTheRootOnly) {
  MemoryFiles files;
  files.put("tree/accelport.toml", "exclude = [\"a\"]");
  EXPECT_THAT(load_config("tree", files)->exclude, ElementsAre("a"));
  EXPECT_TRUE(load_config("other", files)->exclude.empty());
  files.put_special("link/accelport.toml", FileType::link);
  EXPECT_TRUE(load_config("link", files));
  files.put("bad/accelport.toml", "x = 1");
  const auto bad = load_config("bad", files);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().place, "bad/accelport.toml:1");
}

}  // namespace
}  // namespace accelport
