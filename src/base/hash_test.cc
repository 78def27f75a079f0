#include "base/hash.h"

#include <gtest/gtest.h>

namespace accelport {
namespace {

TEST(Hasher, DependsOnTheBytesOnly) {
  EXPECT_EQ(Hasher().add("ab").add("c").digest(), Hasher().add("ab").add("c").digest());
  EXPECT_NE(Hasher().add("ab").add("c").digest(), Hasher().add("a").add("bc").digest());
  EXPECT_NE(Hasher().add("").digest(), Hasher().digest());
  EXPECT_EQ(Hasher().add(std::uint64_t{7}).digest(), Hasher().add(std::uint64_t{7}).digest());
}

TEST(Hasher, IsTheSameOnEveryMachine) {
  EXPECT_EQ(to_hex(hash_of("")), "2d06800538d394c2");  // XXH3's published value for no bytes
  EXPECT_EQ(hash_of("abc"), hash_of(std::string("abc")));
}

TEST(ToHex, HasSixteenDigits) {
  EXPECT_EQ(to_hex(0), "0000000000000000");
  EXPECT_EQ(to_hex(0xABCDEF), "0000000000abcdef");
}

}  // namespace
}  // namespace accelport
