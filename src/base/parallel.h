#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace accelport {

/// Threads to use: `asked`, or as many as the machine has processors.
inline int thread_count(int asked) {
  if (asked > 0) return asked;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Calls `work(index, worker)` once for every index below `count`, on `threads` threads. Indices are handed out in
/// order, so put the largest pieces first. `worker` tells the threads apart (0 … threads-1), for reusable state.
/// Results belong in a vector by index: then nothing depends on the number of threads.
template <typename Work>
void parallel_for(std::size_t count, int threads, Work work) {
  std::atomic<std::size_t> next{0};
  const auto run = [&](int worker) {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) work(i, worker);
  };
  std::vector<std::jthread> pool;
  const int helpers =
      static_cast<int>(std::min<std::size_t>(count, static_cast<std::size_t>(std::max(1, threads)))) - 1;
  for (int worker = 1; worker <= helpers; ++worker) pool.emplace_back(run, worker);
  run(0);
}

}  // namespace accelport
