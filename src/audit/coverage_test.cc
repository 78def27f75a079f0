#include "audit/coverage.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace accelport {
namespace {

using testing::ElementsAre;

TEST(InnermostOwners, TakesTheNarrowestSpan) {
  const std::vector<Span> spans = {{0, 100}, {10, 50}, {20, 30}, {60, 70}};
  EXPECT_THAT(innermost_owners(spans, {5, 15, 20, 29, 30, 49, 50, 65, 99, 100}),
              ElementsAre(0, 1, 2, 2, 1, 1, 0, 3, 0, -1));
}

TEST(InnermostOwners, NothingToOwn) {
  EXPECT_THAT(innermost_owners({}, {1, 2}), ElementsAre(-1, -1));
  EXPECT_TRUE(innermost_owners({{0, 5}}, {}).empty());
  EXPECT_THAT(innermost_owners({{3, 3}, {5, 6}}, {3, 5}), ElementsAre(-1, 1));
}

/// Against the definition, on spans that nest at random.
TEST(InnermostOwners, AgreesWithTheDefinition) {
  std::minstd_rand random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<Span> spans = {{0, 64}};
    for (int i = 0; i < 20; ++i) {
      const Span outer = spans[random() % spans.size()];
      if (outer.size() < 2) continue;
      const std::uint32_t begin = outer.begin + random() % outer.size();
      const Span inner{begin, begin + 1 + static_cast<std::uint32_t>(random() % (outer.end - begin))};
      const auto crosses = [&](Span s) {
        return (inner.begin < s.begin && s.begin < inner.end && inner.end < s.end) ||
               (s.begin < inner.begin && inner.begin < s.end && s.end < inner.end);
      };
      if (std::none_of(spans.begin(), spans.end(), crosses)) spans.push_back(inner);
    }
    std::sort(spans.begin(), spans.end(),
              [](Span a, Span b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
    std::vector<std::uint32_t> offsets;
    for (std::uint32_t i = 0; i < 66; ++i) offsets.push_back(i);
    const auto owners = innermost_owners(spans, offsets);
    for (const std::uint32_t offset : offsets) {
      std::uint32_t narrowest = UINT32_MAX;
      for (const Span span : spans)
        if (span.contains(offset)) narrowest = std::min(narrowest, span.size());
      const std::int32_t owner = owners[offset];
      EXPECT_EQ(owner < 0 ? UINT32_MAX : spans[owner].size(), narrowest) << offset;
    }
  }
}

}  // namespace
}  // namespace accelport
