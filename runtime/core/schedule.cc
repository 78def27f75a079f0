#include "core/schedule.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace accelport::sim {

std::uint64_t Schedule::put(StreamKey stream, Work work) {
  if (stream.id == 0) {
    work();
    return 0;
  }
  const std::lock_guard lock(mutex_);
  Queue& queue = queues_[stream];
  queue.work.push_back(std::move(work));
  return ++queue.put;
}

void Schedule::shorten(StreamKey stream, std::size_t most) {
  std::uint64_t position = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto queue = queues_.find(stream);
    if (queue == queues_.end() || queue->second.work.size() <= most) return;
    position = queue->second.put - most;
  }
  run_up_to(stream, position);
}

EventMark Schedule::record(StreamKey stream) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const double milliseconds = std::chrono::duration<double, std::milli>(now).count();
  const std::lock_guard lock(mutex_);
  const auto queue = queues_.find(stream);
  if (queue == queues_.end()) return {stream, 0, milliseconds, {}};
  return {stream, queue->second.put, milliseconds, queue->second.seen};
}

void Schedule::wait(StreamKey stream, const EventMark& mark) {
  if (is_done(mark)) return;
  if (stream.id != 0) {
    const std::lock_guard lock(mutex_);
    SeenWork& seen = queues_[stream].seen;
    const auto add = [&seen](StreamKey writer, std::uint64_t position) {
      seen[writer] = std::max(seen[writer], position);
    };
    add(mark.stream, mark.position);
    for (const auto& [writer, position] : mark.seen) add(writer, position);
  }
  put(stream, [this, mark] { synchronize(mark); });
}

bool Schedule::sees(StreamKey reader, StreamKey writer, std::uint64_t position) const {
  if (reader == writer) return true;
  const std::lock_guard lock(mutex_);
  const auto queue = queues_.find(reader);
  if (queue == queues_.end()) return false;
  const auto seen = queue->second.seen.find(writer);
  return seen != queue->second.seen.end() && seen->second >= position;
}

bool Schedule::query(const EventMark& mark) {
  const bool now = is_done(mark);
  synchronize(mark);
  return now;
}

bool Schedule::query(StreamKey stream) {
  const bool now = is_idle(stream);
  synchronize(stream);
  return now;
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
