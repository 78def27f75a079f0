#include <gtest/gtest.h>

#include "core/evidence.h"
#include "core/faults.h"
#include "core/memory_pool.h"
#include "core/platform_data.h"
#include "core/schedule.h"

namespace accelport::sim {
namespace {

constexpr std::uint64_t kMiB = 1u << 20;

TEST(MemoryPool, RoundsToTheGrainAndTakesSegments) {
  MemoryPool pool(100 * kMiB);
  MemoryBlock* block = *pool.allocate(4'000'000);
  EXPECT_EQ(block->size, 4'000'256u);
  const MemoryStatistics now = pool.statistics();
  EXPECT_EQ(now.allocated_bytes[kAllPools].current, 4'000'256);
  EXPECT_EQ(now.requested_bytes[kAllPools].current, 4'000'000);
  EXPECT_EQ(now.reserved_bytes[kAllPools].current, static_cast<std::int64_t>(20 * kMiB));
  EXPECT_EQ((*pool.allocate(1))->size, 512u);
  EXPECT_EQ(pool.statistics().reserved_bytes[kSmallPool].current, static_cast<std::int64_t>(2 * kMiB));
}

TEST(MemoryPool, AFreedBlockServesItsOwnStreamAgain) {
  MemoryPool pool(100 * kMiB);
  MemoryBlock* first = *pool.allocate(1000);
  const std::uint64_t address = first->address;
  pool.release(first);
  EXPECT_NE((*pool.allocate(1000, 7))->address, address);
  EXPECT_EQ((*pool.allocate(1000, 0))->address, address);
}

TEST(MemoryPool, NeighboursMergeWhenTheyAreFree) {
  MemoryPool pool(100 * kMiB);
  MemoryBlock* a = *pool.allocate(512);
  MemoryBlock* b = *pool.allocate(512);
  MemoryBlock* c = *pool.allocate(512);
  EXPECT_EQ(pool.snapshot().size(), 4u);
  pool.release(a);
  pool.release(c);
  EXPECT_EQ(pool.statistics().inactive_splits[kAllPools].current, 2);
  pool.release(b);
  ASSERT_EQ(pool.snapshot().size(), 1u);
  EXPECT_EQ(pool.snapshot()[0].block.size, 2 * kMiB);
  EXPECT_EQ(pool.statistics().inactive_splits[kAllPools].current, 0);
  EXPECT_EQ(pool.statistics().blocks[kAllPools].current, 0);
  EXPECT_EQ(pool.statistics().blocks[kAllPools].peak, 3);
}

TEST(MemoryPool, FragmentationCanUseUpTheCard) {
  MemoryPool pool(40 * kMiB);
  MemoryBlock* low = *pool.allocate(9 * kMiB);
  MemoryBlock* keeper = *pool.allocate(9 * kMiB);
  MemoryBlock* high = *pool.allocate(9 * kMiB);
  pool.release(low);
  pool.release(high);
  const auto refused = pool.allocate(21 * kMiB);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().allocated, 9 * kMiB);
  EXPECT_EQ(pool.statistics().out_of_memory, 1);
  pool.release(keeper);
  EXPECT_TRUE(pool.allocate(21 * kMiB).has_value()) << "kept segments are given up before an allocation fails";
  EXPECT_EQ(pool.statistics().retries, 2);
}

TEST(MemoryPool, EmptyCacheGivesFreeSegmentsBack) {
  MemoryPool pool(100 * kMiB);
  MemoryBlock* big = *pool.allocate(30 * kMiB);
  MemoryBlock* small = *pool.allocate(512);
  pool.release(big);
  pool.empty_cache();
  EXPECT_EQ(pool.statistics().reserved_bytes[kAllPools].current, static_cast<std::int64_t>(2 * kMiB));
  pool.release(small);
  pool.empty_cache();
  EXPECT_EQ(pool.statistics().reserved_bytes[kAllPools].current, 0);
  EXPECT_EQ(pool.statistics().reserved_bytes[kAllPools].peak, static_cast<std::int64_t>(32 * kMiB));
  pool.reset_peaks();
  EXPECT_EQ(pool.statistics().reserved_bytes[kAllPools].peak, 0);
}

TEST(MemoryPool, AFaultFailsOnce) {
  MemoryPool pool(100 * kMiB);
  pool.fail_once_above(kMiB);
  EXPECT_TRUE(pool.allocate(kMiB / 2).has_value());
  EXPECT_FALSE(pool.allocate(kMiB).has_value());
  EXPECT_TRUE(pool.allocate(kMiB).has_value());
}

TEST(Schedule, OnlyTheDefaultStreamWorksAtOnce) {
  Schedule schedule;
  int value = 0;
  schedule.put({0, 0}, [&] { value = 1; });
  EXPECT_EQ(value, 1);
  schedule.put({0, 3}, [&] { value = 2; });
  EXPECT_EQ(value, 1) << "nothing has asked for it";
  EXPECT_FALSE(schedule.is_idle({0, 3}));
  schedule.synchronize(StreamKey{0, 3});
  EXPECT_EQ(value, 2);
  EXPECT_TRUE(schedule.is_idle({0, 3}));
}

TEST(Schedule, AWaitOrdersWorkUpToItsEvent) {
  Schedule schedule;
  std::string order;
  schedule.put({0, 1}, [&] { order += 'a'; });
  const EventMark mark = schedule.record({0, 1});
  schedule.put({0, 1}, [&] { order += 'b'; });
  schedule.put({0, 2}, [&] { order += '-'; });
  schedule.wait({0, 2}, mark);
  schedule.put({0, 2}, [&] { order += 'c'; });
  EXPECT_FALSE(schedule.is_done(mark));
  schedule.synchronize(StreamKey{0, 2});
  EXPECT_EQ(order, "-ac");
  EXPECT_TRUE(schedule.is_done(mark));
  schedule.synchronize_device(1);
  EXPECT_EQ(schedule.pending(), 1u);
  schedule.synchronize_device(0);
  EXPECT_EQ(order, "-acb");
}

TEST(Faults, AreReadAndFireOnceAtTheirCall) {
  const auto faults = parse_faults(R"(
[[fault]]
kind = "nan"
operator = "aten::mm"
call = 2
phase = "backward"
[[fault]]
kind = "error"
operator = "aten::add.Tensor"
rank = 1
)",
                                   "faults.toml");
  ASSERT_TRUE(faults.has_value()) << to_string(faults.error());
  FaultSchedule schedule(*faults, 0);
  EXPECT_TRUE(schedule.concerns("aten::mm", "out"));
  EXPECT_FALSE(schedule.concerns("aten::mmm", ""));
  EXPECT_FALSE(schedule.concerns("aten::add", "Scalar"));
  EXPECT_EQ(schedule.on_call("aten::mm", "", Phase::forward), nullptr);
  EXPECT_EQ(schedule.on_call("aten::mm", "", Phase::backward), nullptr);
  ASSERT_NE(schedule.on_call("aten::mm", "", Phase::backward), nullptr);
  EXPECT_EQ(schedule.on_call("aten::mm", "", Phase::backward), nullptr);
  EXPECT_EQ(schedule.on_call("aten::add", "Tensor", Phase::forward), nullptr) << "another rank's";
  EXPECT_EQ(schedule.summary(),
            (std::vector<std::string>{"nan at call 2 of aten::mm in backward: fired",
                                      "error at call 1 of aten::add.Tensor on rank 1: did not fire"}));
}

TEST(Faults, BadFilesAreRefusedWithTheirLine) {
  const auto unknown = parse_faults("[[fault]]\nkind = \"nann\"\noperator = \"aten::mm\"\n", "f.toml");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().place, "f.toml:2");
  EXPECT_FALSE(parse_faults("[[fault]]\nkind = \"nan\"\n", "f.toml").has_value()) << "names no operator";
  EXPECT_FALSE(parse_faults("[[fault]]\nkind = \"out-of-memory\"\n", "f.toml").has_value()) << "names no limit";
}

TEST(PlatformData, OperatorsAndTexts) {
  const auto rows = parse_operators("operator\thow\nadd.Tensor\tkernel\nmm\tdelegate\n", "operators.tsv");
  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].name, "add.Tensor");
  EXPECT_TRUE((*rows)[1].delegate);
  const auto bad = parse_operators("operator\thow\nadd.Tensor\n", "operators.tsv");
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().place, "operators.tsv:2");
  EXPECT_EQ(filled("{a} of {b} {", {{"a", "1"}}), "1 of {b} {");
}

TEST(Evidence, AlwaysSaysThatItWasSimulated) {
  EXPECT_EQ(evidence_line("run", "pass", {{"a", "1"}, {"b", "\""}}),
            "{\"schema\":\"accelport.evidence/1\",\"id\":\"run\",\"verdict\":\"pass\",\"simulated\":true,"
            "\"values\":{\"a\":\"1\",\"b\":\"\\\"\"}}\n");
}

}  // namespace
}  // namespace accelport::sim
