#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <set>
#include <vector>

#include "base/result.h"

namespace accelport::sim {

/// One figure with its peak and the sums of what was added to it and taken from it.
struct Statistic {
  std::int64_t current = 0;
  std::int64_t peak = 0;
  std::int64_t added = 0;
  std::int64_t taken = 0;

  void add(std::int64_t amount);
  void take(std::int64_t amount);
};

/// The whole, and what lies in segments for small and for large blocks: torch's order.
enum PoolKind : std::uint8_t { kAllPools, kSmallPool, kLargePool, kPoolKinds };
using PoolStatistic = std::array<Statistic, kPoolKinds>;

struct MemoryStatistics {
  PoolStatistic blocks, segments, inactive_splits;
  PoolStatistic allocated_bytes, reserved_bytes, inactive_split_bytes, requested_bytes;
  std::int64_t retries = 0;
  std::int64_t out_of_memory = 0;
};

/// Why an allocation failed, in bytes.
struct OutOfMemory {
  std::uint64_t requested = 0;
  std::uint64_t limit = 0;
  std::uint64_t free = 0;
  std::uint64_t allocated = 0;
  std::uint64_t reserved = 0;
};

/// A piece of a segment, in use or kept for the next request. Belongs to its pool.
struct MemoryBlock {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t requested = 0;
  std::int64_t stream = 0;
  PoolKind pool = kSmallPool;
  bool used = false;
  MemoryBlock* before = nullptr;
  MemoryBlock* behind = nullptr;
};

/// One block of a snapshot; `segment` is the first address of what was taken from the device.
struct BlockRow {
  std::uint64_t segment = 0;
  MemoryBlock block;
};

/// The books of a caching allocator over one device's memory: sizes are rounded to 512 bytes; segments of 2 MiB, 20 MiB
/// or more are taken from the device and kept; blocks are split and merged; a block that is given back serves its own
/// stream only. No memory is touched: addresses are numbers. Safe to call from any thread; no call does anything else
/// than booking, so it can be made under foreign locks.
class MemoryPool {
 public:
  explicit MemoryPool(std::uint64_t limit) : limit_(limit) {}
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// A block for at least one byte. When the limit is reached, kept segments are given up and it is tried once more.
  tl::expected<MemoryBlock*, OutOfMemory> allocate(std::uint64_t bytes, std::int64_t stream = 0);
  void release(MemoryBlock* block);
  /// Gives every segment without a used block back to the device.
  void empty_cache();

  MemoryStatistics statistics() const;
  void reset_peaks();
  void reset_sums();
  std::vector<BlockRow> snapshot() const;

  std::uint64_t limit() const;
  void set_limit(std::uint64_t limit);
  /// The next allocation that brings the allocated bytes above `bytes` fails once.
  void fail_once_above(std::uint64_t bytes);

  static std::uint64_t rounded(std::uint64_t bytes);

 private:
  struct BySize {
    bool operator()(const MemoryBlock* a, const MemoryBlock* b) const;
  };
  using FreeBlocks = std::set<MemoryBlock*, BySize>;

  MemoryBlock* take_fitting(std::uint64_t size, PoolKind pool, std::int64_t stream);
  MemoryBlock* new_segment(std::uint64_t size, PoolKind pool, std::int64_t stream);
  void split(MemoryBlock* block, std::uint64_t size);
  MemoryBlock* merge(MemoryBlock* block);
  void keep(MemoryBlock* block);
  MemoryBlock* forget(FreeBlocks::iterator block, FreeBlocks& blocks);
  void give_up_segments();
  MemoryBlock* make_block();
  void count_split(const MemoryBlock& block, int sign);
  OutOfMemory refusal(std::uint64_t bytes);

  mutable std::mutex mutex_;
  std::uint64_t limit_;
  std::uint64_t fail_above_ = UINT64_MAX;
  std::uint64_t next_address_ = std::uint64_t{1} << 40;
  std::array<FreeBlocks, kPoolKinds> free_;
  std::vector<FreeBlocks::node_type> spare_nodes_;
  std::deque<MemoryBlock> storage_;
  std::vector<MemoryBlock*> spare_blocks_;
  std::set<MemoryBlock*> segments_;
  MemoryStatistics statistics_;
};

}  // namespace accelport::sim
