#include "machine/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace accelport {
namespace {

Facts known() {
  Facts facts;
  facts.set("torch.version", "2.7.1+cu121");
  facts.set("plug.version", " 2.9.1 ");
  facts.set("cards", "8");
  facts.set("nothing", "  ");
  return facts;
}

bool holds(std::string_view test) { return FactTest::parse(test).value().holds(known()); }

TEST(Facts, AnEmptyValueIsNotKnown) {
  EXPECT_FALSE(known().has("nothing"));
  EXPECT_EQ(known().get("plug.version"), "2.9.1");
}

TEST(Facts, TextsAreFilledWhereEverythingIsKnown) {
  EXPECT_EQ(filled("{cards} cards, {{braces}", known()), "8 cards, {braces}");
  EXPECT_EQ(filled("{driver}", known()), std::nullopt);
  EXPECT_EQ(filled("open {cards", known()), std::nullopt);
  EXPECT_EQ(filled("", known()), "");
}

TEST(Facts, KilobytesAreWrittenForPeople) {
  Facts facts;
  facts.set("small", "65536");
  facts.set("large", "24683664");
  facts.set("word", "unlimited");
  EXPECT_EQ(filled("{small:kb}, {large:kb}, {word:kb}", facts), "64 MiB, 23.5 GiB, unlimited");
}

TEST(Facts, VersionsCompareByNumbers) {
  EXPECT_EQ(compare_versions("2.7.1+cu121", "2.7.1"), 0);
  EXPECT_EQ(compare_versions("2.7", "2.7.1"), 0);
  EXPECT_LT(compare_versions("2.9.1", "2.10"), 0);
  EXPECT_GT(compare_versions("10", "9.9"), 0);
  EXPECT_EQ(compare_versions("none", "2"), 0);
  EXPECT_EQ(compare_versions("99999999999999999999999", "1"), 0);
}

TEST(FactTest, EveryOperator) {
  EXPECT_TRUE(holds("cards"));
  EXPECT_TRUE(holds("!driver"));
  EXPECT_FALSE(holds("!cards"));
  EXPECT_TRUE(holds("cards = 8"));
  EXPECT_TRUE(holds("cards != 7"));
  EXPECT_TRUE(holds("torch.version ~ \\+cu\\d+$"));
  EXPECT_TRUE(holds("torch.version !~ rocm"));
  EXPECT_TRUE(holds("torch.version < 2.8"));
  EXPECT_TRUE(holds("cards >= 8"));
  EXPECT_TRUE(holds("torch.version < $plug.version"));
}

TEST(FactTest, WhatIsNotKnownProvesNothing) {
  for (const char* test : {"driver", "driver = 1", "driver != 1", "driver ~ .", "driver !~ x", "driver < 3",
                           "driver >= 0", "cards != $driver", "cards = $driver"})
    EXPECT_FALSE(holds(test)) << test;
}

TEST(FactTest, ABadTestIsRefused) {
  for (const char* test : {"", "!", "cards 8", "cards =", "cards ~ (", "cards == 8"})
    EXPECT_FALSE(FactTest::parse(test)) << test;
}

}  // namespace
}  // namespace accelport
