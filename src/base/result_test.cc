#include "base/result.h"

#include <gtest/gtest.h>

namespace accelport {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return fail(Error::Kind::input, "odd", "here:1", "add one");
  return value / 2;
}

Result<int> quarter(int value) {
  TRY(const int first, half(value));
  return half(first);
}

Result<void> only_even(int value) {
  TRY_DO(half(value));
  return {};
}

TEST(Result, TryPassesValuesAndErrorsOn) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).error().message, "odd");
  EXPECT_TRUE(only_even(2));
  EXPECT_FALSE(only_even(1));
}

TEST(Error, TellsPlaceAndHint) {
  EXPECT_EQ(to_string(half(1).error()), "here:1: odd (add one)");
  EXPECT_EQ(to_string(Error{Error::Kind::input, "odd", "", ""}), "odd");
}

TEST(CheckDeathTest, ABrokenPromiseEndsTheProgram) { EXPECT_DEATH(ACCELPORT_CHECK(1 == 2), "1 == 2"); }

}  // namespace
}  // namespace accelport
