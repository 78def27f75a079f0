#include "core/schedule.h"

#include <chrono>
#include <utility>
#include <vector>

namespace accelport::sim {

void Schedule::put(StreamKey stream, Work work) {
  if (stream.id == 0) return work();
  const std::lock_guard lock(mutex_);
  Queue& queue = queues_[stream];
  queue.work.push_back(std::move(work));
  ++queue.put;
}

EventMark Schedule::record(StreamKey stream) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const double milliseconds = std::chrono::duration<double, std::milli>(now).count();
  const std::lock_guard lock(mutex_);
  const auto queue = queues_.find(stream);
  return {stream, queue == queues_.end() ? 0 : queue->second.put, milliseconds};
}

void Schedule::wait(StreamKey stream, const EventMark& mark) {
  if (is_done(mark)) return;
  put(stream, [this, mark] { synchronize(mark); });
}

bool Schedule::is_done(const EventMark& mark) const {
  const std::lock_guard lock(mutex_);
  const auto queue = queues_.find(mark.stream);
  return queue == queues_.end() || queue->second.done >= mark.position;
}

bool Schedule::is_idle(StreamKey stream) const {
  const std::lock_guard lock(mutex_);
  const auto queue = queues_.find(stream);
  return queue == queues_.end() || queue->second.work.empty();
}

void Schedule::synchronize(const EventMark& mark) { run_up_to(mark.stream, mark.position); }

void Schedule::synchronize(StreamKey stream) { run_up_to(stream, UINT64_MAX); }

void Schedule::synchronize_device(int device) {
  std::vector<StreamKey> streams;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [stream, queue] : queues_)
      if (stream.device == device && !queue.work.empty()) streams.push_back(stream);
  }
  for (const StreamKey stream : streams) synchronize(stream);
}

std::size_t Schedule::pending() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [stream, queue] : queues_) count += queue.work.size();
  return count;
}

// Each piece is taken out before it runs, so that work may wait for its own stream without end.
void Schedule::run_up_to(StreamKey stream, std::uint64_t position) {
  for (;;) {
    Work work;
    {
      const std::lock_guard lock(mutex_);
      const auto found = queues_.find(stream);
      if (found == queues_.end() || found->second.work.empty() || found->second.done >= position) return;
      work = std::move(found->second.work.front());
      found->second.work.pop_front();
      ++found->second.done;
    }
    work();
  }
}

}  // namespace accelport::sim
