#include "audit/opt_out.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace accelport {
namespace {

using testing::HasSubstr;

std::vector<OptOut> opt_outs_of(const std::string& text) { return find_opt_outs(text, LineTable(text)); }

TEST(OptOut, BehindCodeDecidesItsLine) {
  const auto found = opt_outs_of("a\nx.cuda()  # accelport: retain -- NVIDIA only\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].line, 2u);
  EXPECT_EQ(found[0].comment_line, 2u);
  EXPECT_EQ(found[0].decision, Decision::retain);
  EXPECT_EQ(found[0].reason, "NVIDIA only");
  EXPECT_EQ(found[0].problem, "");
}

TEST(OptOut, AloneDecidesTheNextLine) {
  const auto found = opt_outs_of("    # accelport: ignore -- a label\r\n    usage['cuda'] = 1\r\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].line, 2u);
  EXPECT_EQ(found[0].reason, "a label");
}

TEST(OptOut, KnowsTheCommentFormsOfTheLanguages) {
  for (const char* line :
       {"x  # accelport: retain -- why", "x;  // accelport: retain -- why", "x;  /* accelport: retain -- why */",
        "<p> <!-- accelport: retain -- why -->", "x -- accelport: retain -- why", "x ; accelport: retain -- why",
        "x % accelport: retain -- why", "x  #   accelport:retain--why"}) {
    const auto found = opt_outs_of(line);
    ASSERT_EQ(found.size(), 1u) << line;
    EXPECT_EQ(found[0].decision, Decision::retain) << line;
    EXPECT_EQ(found[0].reason, "why") << line;
    EXPECT_EQ(found[0].line, 1u) << line;
  }
}

TEST(OptOut, WithoutReasonDecidesNothing) {
  for (const char* line : {"x  # accelport: retain", "x  # accelport: retain --", "x  # accelport: retain --  "}) {
    const auto found = opt_outs_of(line);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_THAT(found[0].problem, HasSubstr("reason is missing")) << line;
  }
}

TEST(OptOut, WrongDecisionIsAProblem) {
  const auto found = opt_outs_of("x  # accelport: skip -- why");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].problem, HasSubstr("'skip' is no decision"));
  EXPECT_THAT(found[0].problem, HasSubstr("unsupported"));
}

TEST(OptOut, OtherTextIsNone) {
  EXPECT_TRUE(opt_outs_of("print('accelport: retain -- why')\n").empty());
  EXPECT_TRUE(opt_outs_of("see accelport: retain -- why\n").empty());
  EXPECT_TRUE(opt_outs_of("").empty());
}

TEST(OptOut, AnEndlessLineIsCut) {
  const auto found = opt_outs_of("x  # accelport: " + std::string(1'000'000, 'a'));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_LT(found[0].problem.size(), 2000u);
}

}  // namespace
}  // namespace accelport
