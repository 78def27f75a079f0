#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>

namespace accelport::sim {

/// A stream of a device; id 0 is the device's default stream.
struct StreamKey {
  int device = 0;
  std::int64_t id = 0;
  friend auto operator<=>(const StreamKey&, const StreamKey&) = default;
};

/// How much of the work of other streams comes before what a stream does next.
using SeenWork = std::map<StreamKey, std::uint64_t>;

/// A place in a stream's order of work: what was put in before it.
struct EventMark {
  StreamKey stream;
  std::uint64_t position = 0;
  double milliseconds = 0;  // of the host's clock, when it was recorded
  SeenWork seen;
};

/// The order of work on all streams, decided by the program's own calls and by nothing else: the default stream does
/// its work at once, every other stream keeps it until a wait, an event or a synchronisation asks for it. So a missing
/// wait reads the old bytes every time. Safe to call from any thread; work may call the schedule again.
class Schedule {
 public:
  using Work = std::function<void()>;

  /// Runs `work` now on a default stream, else keeps it behind the stream's earlier work; gives its position there.
  std::uint64_t put(StreamKey stream, Work work);
  /// Runs the oldest work until no more than `most` pieces are kept.
  void shorten(StreamKey stream, std::size_t most);
  EventMark record(StreamKey stream);
  /// Later work of `stream` comes after the mark: the default stream catches up now.
  void wait(StreamKey stream, const EventMark& mark);
  /// True if the piece of work at `position` of `writer` comes before what `reader` does next.
  bool sees(StreamKey reader, StreamKey writer, std::uint64_t position) const;
  bool is_done(const EventMark& mark) const;
  bool is_idle(StreamKey stream) const;
  void synchronize(const EventMark& mark);
  void synchronize(StreamKey stream);
  /// The answer to a program that asks again and again: what is so now; the work it asked for is done behind it.
  bool query(const EventMark& mark);
  bool query(StreamKey stream);
  void synchronize_device(int device);
  /// How many pieces of work no call has asked for yet.
  std::size_t pending() const;

 private:
  struct Queue {
    std::deque<Work> work;
    std::uint64_t put = 0;   // pieces ever put in
    std::uint64_t done = 0;  // pieces that have run, or run now
    SeenWork seen;
  };

  void run_up_to(StreamKey stream, std::uint64_t position);

  mutable std::mutex mutex_;
  std::map<StreamKey, Queue> queues_;
};

}  // namespace accelport::sim
