#include "catalog/pattern.h"

#include <string>

#include <gtest/gtest.h>

namespace accelport {
namespace {

TEST(Pattern, FindsAnywhereAndKeepsItsText) {
  const auto pattern = Pattern::compile("cu(da|blas)");
  ASSERT_TRUE(pattern);
  EXPECT_TRUE(pattern->found_in("xcublasx"));
  EXPECT_FALSE(pattern->found_in("CUDA"));
  EXPECT_FALSE(pattern->found_in(""));
  EXPECT_EQ(pattern->expression(), "cu(da|blas)");
}

TEST(Pattern, BytesThatAreNotUtf8) {
  const auto pattern = Pattern::compile("cuda");
  ASSERT_TRUE(pattern);
  EXPECT_TRUE(pattern->found_in("\xff\xfe cuda \x80"));
  EXPECT_TRUE(pattern->found_in(std::string_view("\0cuda", 5)));
}

TEST(Pattern, RefusesWhatRe2Refuses) {
  for (const char* bad : {"(", "a(?=b)", "\\1", "[z-a]", "a{2000}", "\xff"}) {
    const auto pattern = Pattern::compile(bad);
    ASSERT_FALSE(pattern) << bad;
    EXPECT_EQ(pattern.error().kind, Error::Kind::data);
  }
}

TEST(Pattern, LinearOnHostileInput) {
  const auto pattern = Pattern::compile("(a*)*b");
  ASSERT_TRUE(pattern);
  EXPECT_FALSE(pattern->found_in(std::string(1 << 20, 'a')));
}

TEST(NameSet, NamesAndGlobs) {
  NameSet names;
  EXPECT_TRUE(names.empty());
  EXPECT_FALSE(names.contains(""));
  names.add("torch.cuda");
  names.add("torch.*.amp");
  EXPECT_FALSE(names.empty());
  EXPECT_TRUE(names.contains("torch.cuda"));
  EXPECT_FALSE(names.contains("torch.Cuda"));
  EXPECT_TRUE(names.contains("torch.cuda.x.amp"));
  EXPECT_FALSE(names.contains("torch.amp"));
  EXPECT_EQ(names.names().size(), 2u);
}

}  // namespace
}  // namespace accelport
