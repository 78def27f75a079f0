#include "deferred.h"

#include <cstring>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/clone_ops.h>
#include <ATen/ops/copy_ops.h>

#include "call.h"

namespace accelport::sim {
namespace {

constexpr std::size_t kLongestQueue = 1024;  // then a launch waits for the oldest work, as on a card

void copy_into(at::Tensor target, const at::Tensor& value) {
  const at::AutoDispatchBelowADInplaceOrView below;
  at::_ops::copy_::call(target, value, false);
}

c10::Storage copied(const c10::Storage& from) {
  c10::Storage to(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), from.nbytes(),
                                                        c10::GetAllocator(c10::kCPU), true));
  if (from.nbytes() != 0) std::memcpy(to.mutable_data(), from.data(), from.nbytes());
  return to;
}

const c10::StorageImpl* key(const c10::Storage& storage) { return storage.unsafeGetStorageImpl(); }

}  // namespace

DeferredWrites& deferred_writes() {
  static auto* const only = new DeferredWrites;
  return *only;
}

c10::Storage DeferredWrites::copy_for(StreamKey stream, const c10::Storage& storage, std::string_view reader) {
  const std::lock_guard lock(mutex_);
  c10::Storage copy = copied(host_storage(storage.unsafeGetStorageImpl()));
  const auto found = writes_.find(key(storage));
  if (found == writes_.end()) return copy;
  for (const WritePtr& write : found->second) {
    if (!machine().schedule.sees(stream, write->stream, write->position)) {
      if (!reader.empty()) count_stale(reader);
      continue;
    }
    read(*write);
    copy_into(shaped(c10::Storage(copy), write->target), write->value);
  }
  return copy;
}

bool DeferredWrites::differs(StreamKey stream, const at::Tensor& mine, const at::Tensor& host) {
  const c10::Storage now = copy_for(stream, mine.storage());
  const std::size_t bytes = now.nbytes();
  return bytes != host.storage().nbytes() || (bytes != 0 && std::memcmp(now.data(), host.storage().data(), bytes) != 0);
}

void DeferredWrites::put(StreamKey stream, const at::Tensor& target, const at::Tensor& value) {
  auto write = std::make_shared<Write>();
  *write = {stream, 0, target.detach(), value, true};
  add(write);
}

void DeferredWrites::put_copy(StreamKey stream, const at::Tensor& target, const at::Tensor& source) {
  auto write = std::make_shared<Write>();
  *write = {stream, 0, target.detach(), source, false};
  add(write);
}

void DeferredWrites::add(const WritePtr& write) {
  {
    const std::lock_guard lock(mutex_);
    writes_[key(write->target.storage())].push_back(write);
    waiting_ = writes_.size();
    write->position = machine().schedule.put(write->stream, [this, write] { publish(write); });
  }
  machine().schedule.shorten(write->stream, kLongestQueue);
}

void DeferredWrites::publish(const WritePtr& write) {
  const std::lock_guard lock(mutex_);
  read(*write);
  copy_into(host_alias(write->target), write->value);
  const auto found = writes_.find(key(write->target.storage()));
  std::erase(found->second, write);
  if (found->second.empty()) writes_.erase(found);
  waiting_ = writes_.size();
}

void DeferredWrites::note_read(const c10::Storage& storage, std::string_view reader) {
  if (waiting_.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(mutex_);
  if (writes_.contains(key(storage))) count_stale(reader);
}

void DeferredWrites::count_stale(std::string_view reader) {
  if (stale_reads_++ == 0) first_stale_reader_ = reader;
}

std::pair<std::uint64_t, std::string> DeferredWrites::stale_reads() const {
  const std::lock_guard lock(mutex_);
  return {stale_reads_, first_stale_reader_};
}

void DeferredWrites::read(Write& write) {
  if (write.is_read) return;
  const at::AutoDispatchBelowADInplaceOrView below;
  write.value = at::_ops::clone::call(write.value, std::nullopt);
  write.is_read = true;
}

}  // namespace accelport::sim
