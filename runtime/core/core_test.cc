#include <atomic>
#include <functional>
#include <thread>

#include <fmt/core.h>
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

TEST(Faults, ADeterministicOneFiresAgainForTheSameArguments) {
  const auto parsed =
      parse_faults("[[fault]]\nkind = \"nan\"\noperator = \"aten::mm\"\ncall = 2\ndeterministic = true\n", "f.toml");
  ASSERT_TRUE(parsed.has_value());
  FaultSchedule schedule(*parsed, 0);
  const auto fires = [&](std::uint64_t arguments) {
    return schedule.on_call("aten::mm", "", Phase::forward, [=] { return arguments; }) != nullptr;
  };
  EXPECT_FALSE(fires(7)) << "the first call, of whatever arguments";
  EXPECT_TRUE(fires(7));
  EXPECT_FALSE(fires(8));
  EXPECT_TRUE(fires(7));
}

TEST(Schedule, AStreamSeesItsOwnWorkAndWhatItWaitedFor) {
  Schedule schedule;
  const std::uint64_t first = schedule.put({0, 1}, [] {});
  const EventMark mark = schedule.record({0, 1});
  const std::uint64_t second = schedule.put({0, 1}, [] {});
  EXPECT_TRUE(schedule.sees({0, 1}, {0, 1}, second));
  EXPECT_FALSE(schedule.sees({0, 2}, {0, 1}, first));
  schedule.wait({0, 2}, mark);
  EXPECT_TRUE(schedule.sees({0, 2}, {0, 1}, first));
  EXPECT_FALSE(schedule.sees({0, 2}, {0, 1}, second));
  const EventMark later = schedule.record({0, 2});
  schedule.wait({0, 3}, later);
  EXPECT_TRUE(schedule.sees({0, 3}, {0, 1}, first)) << "through the stream between";
}

TEST(Schedule, AQueueIsShortenedFromItsOldEnd) {
  Schedule schedule;
  std::string order;
  for (const char name : {'a', 'b', 'c', 'd'}) schedule.put({0, 1}, [&order, name] { order += name; });
  schedule.shorten({0, 1}, 2);
  EXPECT_EQ(order, "ab");
  EXPECT_EQ(schedule.pending(), 2u);
  EXPECT_FALSE(schedule.query(StreamKey{0, 1})) << "it was not done when it was asked";
  EXPECT_TRUE(schedule.query(StreamKey{0, 1}));
  EXPECT_EQ(order, "abcd");
}

TEST(Faults, EachKindHappensToWhatItCan) {
  const auto plan = [](std::string_view rest) { return parse_faults(fmt::format("[[fault]]\n{}\n", rest), "f.toml"); };
  EXPECT_EQ(plan("kind = \"corrupt\"")->at(0).operation, "save");
  EXPECT_EQ(plan("kind = \"stale\"")->at(0).operation, "stream.wait");
  EXPECT_EQ(plan("kind = \"stale\"\noperator = \"device.synchronize\"")->at(0).operation, "device.synchronize");
  EXPECT_EQ(plan("kind = \"hang\"\noperator = \"barrier\"")->at(0).operation, "barrier");
  EXPECT_EQ(plan("kind = \"inf\"\noperator = \"allreduce\"")->at(0).operation, "allreduce");
  EXPECT_EQ(plan("kind = \"out-of-memory\"\nbytes = 513")->at(0).bytes, 513);
  for (const char* bad :
       {"kind = \"hang\"", "kind = \"late\"\noperator = \"aten::mm\"", "kind = \"nan\"\noperator = \"mm\"",
        "kind = \"stale\"\noperator = \"aten::mm\"", "kind = \"corrupt\"\noperator = \"aten::mm\""})
    EXPECT_FALSE(plan(bad).has_value()) << bad;
}

TEST(Faults, AListenerHearsOfEachOnce) {
  std::vector<std::string> heard;
  FaultSchedule schedule(*parse_faults("[[fault]]\nkind = \"host-read\"\n[[fault]]\nkind = \"out-of-memory\"\n"
                                       "mebibytes = 3\n[[fault]]\nkind = \"host-read\"\nrank = 1\n",
                                       "f.toml"),
                         0);
  schedule.listen([&](const std::string& line) { heard.push_back(line); });
  EXPECT_TRUE(schedule.plans(FaultKind::host_read));
  EXPECT_FALSE(schedule.plans(FaultKind::stale));
  for (int turn = 0; turn < 2; ++turn) {
    schedule.mark(FaultKind::host_read);
    schedule.mark_out_of_memory(3 << 20);
  }
  EXPECT_EQ(heard, (std::vector<std::string>{"host-read", "out-of-memory above 3 MiB"}));
}

/// Runs `work` in four threads at once.
void in_threads(const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

TEST(Threads, TheBooksBalance) {
  MemoryPool pool(1000 * kMiB);
  in_threads([&](int thread) {
    std::vector<MemoryBlock*> held;
    for (std::uint64_t i = 1; i < 500; ++i) {
      held.push_back(*pool.allocate(i * 700, thread % 2));
      if (i % 3 == 0) pool.release(std::exchange(held[i / 3], held.back())), held.pop_back();
      if (i % 100 == 0) pool.empty_cache();
    }
    for (MemoryBlock* block : held) pool.release(block);
  });
  EXPECT_EQ(pool.statistics().allocated_bytes[kAllPools].current, 0);
  pool.empty_cache();
  EXPECT_EQ(pool.statistics().reserved_bytes[kAllPools].current, 0);
}

TEST(Threads, EveryPieceOfWorkRunsOnce) {
  Schedule schedule;
  std::atomic<int> runs{0};
  in_threads([&](int thread) {
    const StreamKey mine{0, thread + 1}, other{0, (thread + 1) % 4 + 1};
    for (int i = 0; i < 300; ++i) {
      schedule.put(mine, [&runs] { ++runs; });
      if (i % 10 == 0) schedule.wait(other, schedule.record(mine));
      if (i % 50 == 0) schedule.synchronize(other);
    }
  });
  for (int stream = 1; stream <= 4; ++stream) schedule.synchronize(StreamKey{0, stream});
  EXPECT_EQ(runs, 1200);
  EXPECT_EQ(schedule.pending(), 0u);
}

TEST(Threads, AFaultFiresOnce) {
  FaultSchedule schedule(*parse_faults("[[fault]]\nkind = \"nan\"\noperator = \"aten::mm\"\ncall = 700\n", "f.toml"),
                         0);
  std::atomic<int> fired{0};
  in_threads([&](int) {
    for (int i = 0; i < 500; ++i)
      if (schedule.on_call("aten::mm", "", Phase::forward) != nullptr) ++fired;
  });
  EXPECT_EQ(fired, 1);
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

TEST(PlatformData, ALimitNamesOperatorsAndTypes) {
  const char* profile =
      "name = \"x\"\n[torch]\ndevice_type = \"x\"\nimport = \"torch_x\"\n[distributed]\nbackend = \"xccl\"\n"
      "[visibility]\nprocess = \"X_VISIBLE\"\n";
  const std::string card =
      "schema = \"accelport.simulator/1\"\n[card]\nname = \"X1\"\nmemory_mib = 64\nsource = \"none\"\n";
  const auto data = parse_platform(profile, "profile.toml",
                                   card +
                                       "[[limit]]\noperators = [\"add.Tensor\"]\ndtypes = [\"uint16\"]\nmessage = \"no "
                                       "{dtype}\"\nsource = \"s\"\n",
                                   "simulator.toml");
  ASSERT_TRUE(data.has_value()) << to_string(data.error());
  ASSERT_EQ(data->limits.size(), 1u);
  EXPECT_EQ(data->limits[0].operators, std::vector<std::string>{"add.Tensor"});
  EXPECT_FALSE(
      parse_platform(profile, "profile.toml", card + "[[limit]]\nmessage = \"m\"\nsource = \"s\"\n", "s.toml"));
}

TEST(Evidence, AlwaysSaysThatItWasSimulated) {
  EXPECT_EQ(evidence_line("run", "pass", {{"a", "1"}, {"b", "\""}}),
            "{\"schema\":\"accelport.evidence/1\",\"id\":\"run\",\"verdict\":\"pass\",\"simulated\":true,"
            "\"values\":{\"a\":\"1\",\"b\":\"\\\"\"}}\n");
}

}  // namespace
}  // namespace accelport::sim
