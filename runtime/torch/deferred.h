#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "simulator.h"

namespace accelport::sim {

/// What streams other than the default one have written and no wait, event, synchronisation or read has asked for yet.
/// The device's bytes stay the old ones until then; the writing stream, and streams that waited for it, see the new.
/// Safe to call from any thread.
class DeferredWrites {
 public:
  /// The bytes of `storage` as work of `stream` would find them now, in a CPU storage of its own.
  c10::Storage copy_for(StreamKey stream, const c10::Storage& storage, std::string_view reader = {});
  /// True if `host`, once made by copy_for, is no longer what copy_for would make.
  bool differs(StreamKey stream, const at::Tensor& mine, const at::Tensor& host);
  /// `value` becomes that of `target` (on the device, or pinned) when the stream's turn comes. `value` is not copied.
  void put(StreamKey stream, const at::Tensor& target, const at::Tensor& value);
  /// The same for a copy from pinned memory, which is read when the stream's turn comes or its own work asks for it.
  void put_copy(StreamKey stream, const at::Tensor& target, const at::Tensor& source);
  /// Tells that `reader` reads the device's bytes of `storage`: counted if they are old because a wait is missing.
  void note_read(const c10::Storage& storage, std::string_view reader);
  /// How often old bytes have been read so, and by what first.
  std::pair<std::uint64_t, std::string> stale_reads() const;

 private:
  struct Write {
    StreamKey stream;
    std::uint64_t position = 0;
    at::Tensor target;
    at::Tensor value;
    bool is_read = true;  // false: value is still the source of a copy
  };
  using WritePtr = std::shared_ptr<Write>;

  void add(const WritePtr& write);
  void publish(const WritePtr& write);
  static void read(Write& write);

  void count_stale(std::string_view reader);

  mutable std::mutex mutex_;
  std::unordered_map<const c10::StorageImpl*, std::deque<WritePtr>> writes_;
  std::atomic<std::size_t> waiting_{0};  // storages in writes_, to be asked without the lock
  std::uint64_t stale_reads_ = 0;
  std::string first_stale_reader_;
};
DeferredWrites& deferred_writes();

}  // namespace accelport::sim
