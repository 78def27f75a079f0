#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace accelport {

/// Offsets of a piece of text that was cut out of a file (a notebook's cell, a quoted scalar) and unescaped on the way.
class OffsetMap {
 public:
  /// `size` bytes of the piece from `inner` on are the file's bytes from `outer` on.
  void add_run(std::uint32_t inner, std::uint32_t outer);
  /// The next `inner_size` bytes of the piece stand for `outer_size` bytes of the file.
  void add_escape(std::uint32_t inner, std::uint32_t inner_size, std::uint32_t outer, std::uint32_t outer_size);

  Span to_outer(Span inner) const;
  /// The piece's offset of a byte of the file; the nearest one in front if the byte is not in the piece.
  std::uint32_t to_inner(std::uint32_t outer) const;
  bool empty() const { return steps_.empty(); }
  /// Calls `run(Span inner, outer)` or `escape(Span inner, outer, outer_size)` for every step that `inner` touches,
  /// clipped to it.
  template <typename Run, typename Escape>
  void each_step(Span inner, Run run, Escape escape) const {
    for (std::size_t i = index_at(inner.begin); i < steps_.size() && steps_[i].inner < inner.end; ++i) {
      const Step& step = steps_[i];
      const std::uint32_t begin = step.inner > inner.begin ? step.inner : inner.begin;
      std::uint32_t end = i + 1 < steps_.size() && steps_[i + 1].inner < inner.end ? steps_[i + 1].inner : inner.end;
      if (step.inner_size != 0) {
        escape(Span{begin, end}, step.outer, step.outer_size);
      } else {
        run(Span{begin, end}, step.outer + (begin - step.inner));
      }
    }
  }

 private:
  struct Step {
    std::uint32_t inner;
    std::uint32_t inner_size;  // 0: a run up to the next step
    std::uint32_t outer;
    std::uint32_t outer_size;
  };
  std::size_t index_at(std::uint32_t inner) const;
  const Step& step_at(std::uint32_t inner) const { return steps_[index_at(inner)]; }

  std::vector<Step> steps_;
};

/// Builds a piece and its map side by side.
class PieceBuilder {
 public:
  /// Appends bytes that stand in the file at `outer` just so.
  void copy(std::string_view bytes, std::uint32_t outer);
  /// Appends `bytes` in place of the file's `outer_size` bytes at `outer`.
  void put(std::string_view bytes, std::uint32_t outer, std::uint32_t outer_size);

  /// Appends a part of another piece of the same file.
  void append(const PieceBuilder& from, Span inner);

  std::uint32_t size() const { return static_cast<std::uint32_t>(text_.size()); }
  std::string_view view() const { return text_; }
  std::string& text() { return text_; }
  const OffsetMap& map() const { return map_; }

 private:
  std::string text_;
  OffsetMap map_;
  std::uint32_t run_end_ = UINT32_MAX;  // file offset that would continue the current run
};

/// Appends the UTF-8 form of `code` (a surrogate half becomes U+FFFD).
void append_utf8(std::string& out, char32_t code);

}  // namespace accelport
