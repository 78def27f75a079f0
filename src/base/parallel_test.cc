#include "base/parallel.h"

#include <vector>

#include <gtest/gtest.h>

namespace accelport {
namespace {

TEST(ParallelFor, DoesEveryIndexOnce) {
  for (const int threads : {-1, 0, 1, 2, 7, 64}) {
    std::vector<int> done(1000, 0);
    parallel_for(done.size(), threads, [&](std::size_t i, int) { ++done[i]; });
    EXPECT_EQ(done, std::vector<int>(1000, 1)) << threads;
  }
}

TEST(ParallelFor, NumbersItsWorkers) {
  std::vector<int> workers(500, -1);
  parallel_for(workers.size(), 3, [&](std::size_t i, int worker) { workers[i] = worker; });
  for (const int worker : workers) {
    EXPECT_GE(worker, 0);
    EXPECT_LT(worker, 3);
  }
}

TEST(ParallelFor, NothingToDo) {
  parallel_for(0, 4, [](std::size_t, int) { FAIL(); });
}

TEST(ThreadCount, IsPositive) {
  EXPECT_GE(thread_count(0), 1);
  EXPECT_EQ(thread_count(3), 3);
}

}  // namespace
}  // namespace accelport
