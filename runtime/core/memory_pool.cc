#include "core/memory_pool.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace accelport::sim {
namespace {

constexpr std::uint64_t kGrain = 512;
constexpr std::uint64_t kSmallest = 1u << 20;      // above this a request goes to the large blocks
constexpr std::uint64_t kSmallSegment = 2u << 20;  // what small blocks are cut from
constexpr std::uint64_t kLargeSegment = 20u << 20;
constexpr std::uint64_t kOwnSegment = 10u << 20;   // from here on a request gets a segment of its own size …
constexpr std::uint64_t kSegmentGrain = 2u << 20;  // … rounded to this

std::uint64_t up_to(std::uint64_t bytes, std::uint64_t grain) { return (bytes + grain - 1) / grain * grain; }

std::uint64_t segment_size(std::uint64_t size) {
  if (size <= kSmallest) return kSmallSegment;
  return size < kOwnSegment ? kLargeSegment : up_to(size, kSegmentGrain);
}

void add(PoolStatistic& statistic, PoolKind pool, std::int64_t amount) {
  for (Statistic* one : {&statistic[kAllPools], &statistic[pool]}) amount >= 0 ? one->add(amount) : one->take(-amount);
}

template <typename Function>
void for_each_statistic(MemoryStatistics& statistics, Function function) {
  for (PoolStatistic* each :
       {&statistics.blocks, &statistics.segments, &statistics.inactive_splits, &statistics.allocated_bytes,
        &statistics.reserved_bytes, &statistics.inactive_split_bytes, &statistics.requested_bytes})
    for (Statistic& one : *each) function(one);
}

}  // namespace

void Statistic::add(std::int64_t amount) {
  current += amount;
  added += amount;
  peak = std::max(peak, current);
}

void Statistic::take(std::int64_t amount) {
  current -= amount;
  taken += amount;
}

bool MemoryPool::BySize::operator()(const MemoryBlock* a, const MemoryBlock* b) const {
  return std::tie(a->stream, a->size, a->address) < std::tie(b->stream, b->size, b->address);
}

std::uint64_t MemoryPool::rounded(std::uint64_t bytes) { return up_to(std::max<std::uint64_t>(bytes, 1), kGrain); }

tl::expected<MemoryBlock*, OutOfMemory> MemoryPool::allocate(std::uint64_t bytes, std::int64_t stream) {
  const std::lock_guard lock(mutex_);
  if (bytes > limit_) return tl::unexpected(refusal(bytes));
  if (statistics_.allocated_bytes[kAllPools].current + rounded(bytes) > fail_above_) {
    fail_above_ = UINT64_MAX;
    return tl::unexpected(refusal(bytes));
  }
  const std::uint64_t size = rounded(bytes);
  const PoolKind pool = size <= kSmallest ? kSmallPool : kLargePool;
  MemoryBlock* block = take_fitting(size, pool, stream);
  if (block == nullptr) block = new_segment(size, pool, stream);
  if (block == nullptr) {
    ++statistics_.retries;
    give_up_segments();
    block = new_segment(size, pool, stream);
  }
  if (block == nullptr) return tl::unexpected(refusal(bytes));
  split(block, size);
  block->used = true;
  block->requested = bytes;
  add(statistics_.blocks, pool, 1);
  add(statistics_.allocated_bytes, pool, static_cast<std::int64_t>(block->size));
  add(statistics_.requested_bytes, pool, static_cast<std::int64_t>(bytes));
  return block;
}

void MemoryPool::release(MemoryBlock* block) {
  const std::lock_guard lock(mutex_);
  add(statistics_.blocks, block->pool, -1);
  add(statistics_.allocated_bytes, block->pool, -static_cast<std::int64_t>(block->size));
  add(statistics_.requested_bytes, block->pool, -static_cast<std::int64_t>(block->requested));
  block->used = false;
  block->requested = 0;
  keep(merge(block));
}

void MemoryPool::empty_cache() {
  const std::lock_guard lock(mutex_);
  give_up_segments();
}

MemoryStatistics MemoryPool::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

void MemoryPool::reset_peaks() {
  const std::lock_guard lock(mutex_);
  for_each_statistic(statistics_, [](Statistic& one) { one.peak = one.current; });
}

void MemoryPool::reset_sums() {
  const std::lock_guard lock(mutex_);
  for_each_statistic(statistics_, [](Statistic& one) { one.added = one.taken = 0; });
  statistics_.retries = statistics_.out_of_memory = 0;
}

std::vector<BlockRow> MemoryPool::snapshot() const {
  const std::lock_guard lock(mutex_);
  std::vector<MemoryBlock*> firsts(segments_.begin(), segments_.end());
  std::sort(firsts.begin(), firsts.end(), [](auto* a, auto* b) { return a->address < b->address; });
  std::vector<BlockRow> rows;
  for (const MemoryBlock* first : firsts)
    for (const MemoryBlock* block = first; block != nullptr; block = block->behind)
      rows.push_back({first->address, *block});
  return rows;
}

std::uint64_t MemoryPool::limit() const {
  const std::lock_guard lock(mutex_);
  return limit_;
}

void MemoryPool::set_limit(std::uint64_t limit) {
  const std::lock_guard lock(mutex_);
  limit_ = limit;
}

void MemoryPool::fail_once_above(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  fail_above_ = bytes;
}

MemoryBlock* MemoryPool::take_fitting(std::uint64_t size, PoolKind pool, std::int64_t stream) {
  MemoryBlock least{0, size, 0, stream, pool, false, nullptr, nullptr};
  const auto found = free_[pool].lower_bound(&least);
  if (found == free_[pool].end() || (*found)->stream != stream) return nullptr;
  return forget(found, free_[pool]);
}

MemoryBlock* MemoryPool::new_segment(std::uint64_t size, PoolKind pool, std::int64_t stream) {
  const std::uint64_t bytes = segment_size(size);
  if (statistics_.reserved_bytes[kAllPools].current + bytes > limit_) return nullptr;
  MemoryBlock* block = make_block();
  *block = {next_address_, bytes, 0, stream, pool, false, nullptr, nullptr};
  next_address_ += up_to(bytes, kSegmentGrain);
  segments_.insert(block);
  add(statistics_.segments, pool, 1);
  add(statistics_.reserved_bytes, pool, static_cast<std::int64_t>(bytes));
  return block;
}

void MemoryPool::split(MemoryBlock* block, std::uint64_t size) {
  const std::uint64_t rest = block->size - size;
  if (block->pool == kSmallPool ? rest < kGrain : rest <= kSmallest) return;
  MemoryBlock* remainder = make_block();
  *remainder = {block->address + size, rest, 0, block->stream, block->pool, false, block, block->behind};
  if (block->behind != nullptr) block->behind->before = remainder;
  block->behind = remainder;
  block->size = size;
  keep(remainder);
}

MemoryBlock* MemoryPool::merge(MemoryBlock* block) {
  if (MemoryBlock* behind = block->behind; behind != nullptr && !behind->used) {
    forget(free_[block->pool].find(behind), free_[block->pool]);
    block->size += behind->size;
    block->behind = behind->behind;
    if (block->behind != nullptr) block->behind->before = block;
    spare_blocks_.push_back(behind);
  }
  MemoryBlock* before = block->before;
  if (before == nullptr || before->used) return block;
  forget(free_[block->pool].find(before), free_[block->pool]);
  before->size += block->size;
  before->behind = block->behind;
  if (before->behind != nullptr) before->behind->before = before;
  spare_blocks_.push_back(block);
  return before;
}

void MemoryPool::keep(MemoryBlock* block) {
  count_split(*block, 1);
  if (spare_nodes_.empty()) {
    free_[block->pool].insert(block);
    return;
  }
  FreeBlocks::node_type node = std::move(spare_nodes_.back());
  spare_nodes_.pop_back();
  node.value() = block;
  free_[block->pool].insert(std::move(node));
}

MemoryBlock* MemoryPool::forget(FreeBlocks::iterator found, FreeBlocks& blocks) {
  MemoryBlock* block = *found;
  count_split(*block, -1);
  spare_nodes_.push_back(blocks.extract(found));
  return block;
}

void MemoryPool::give_up_segments() {
  for (FreeBlocks& blocks : free_) {
    for (auto at = blocks.begin(); at != blocks.end();) {
      MemoryBlock* block = *at;
      const auto here = at++;
      if (block->before != nullptr || block->behind != nullptr) continue;
      add(statistics_.segments, block->pool, -1);
      add(statistics_.reserved_bytes, block->pool, -static_cast<std::int64_t>(block->size));
      segments_.erase(block);
      spare_blocks_.push_back(block);
      spare_nodes_.push_back(blocks.extract(here));
    }
  }
}

MemoryBlock* MemoryPool::make_block() {
  if (spare_blocks_.empty()) return &storage_.emplace_back();
  MemoryBlock* block = spare_blocks_.back();
  spare_blocks_.pop_back();
  return block;
}

void MemoryPool::count_split(const MemoryBlock& block, int sign) {
  if (block.before == nullptr && block.behind == nullptr) return;
  add(statistics_.inactive_splits, block.pool, sign);
  add(statistics_.inactive_split_bytes, block.pool, sign * static_cast<std::int64_t>(block.size));
}

OutOfMemory MemoryPool::refusal(std::uint64_t bytes) {
  ++statistics_.out_of_memory;
  const auto reserved = static_cast<std::uint64_t>(statistics_.reserved_bytes[kAllPools].current);
  return {bytes, limit_, limit_ > reserved ? limit_ - reserved : 0,
          static_cast<std::uint64_t>(statistics_.allocated_bytes[kAllPools].current), reserved};
}

}  // namespace accelport::sim
