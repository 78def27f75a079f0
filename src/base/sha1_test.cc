#include "base/sha1.h"

#include <gtest/gtest.h>

namespace accelport {
namespace {

TEST(Sha1, KnownAnswers) {
  EXPECT_EQ(sha1_of({}), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(sha1_of({"a", "bc"}), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sha1_of({std::string(1000000, 'a')}), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

TEST(Sha1, NamesBlobsAsGitDoes) {
  EXPECT_EQ(git_blob_name(""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(git_blob_name("hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
}

}  // namespace
}  // namespace accelport
