#include "syntax/offset_map.h"

#include <algorithm>

namespace accelport {

void OffsetMap::add_run(std::uint32_t inner, std::uint32_t outer) { steps_.push_back({inner, 0, outer, 0}); }

void OffsetMap::add_escape(std::uint32_t inner, std::uint32_t inner_size, std::uint32_t outer,
                           std::uint32_t outer_size) {
  steps_.push_back({inner, inner_size, outer, outer_size});
}

std::size_t OffsetMap::index_at(std::uint32_t inner) const {
  const auto next = std::upper_bound(steps_.begin(), steps_.end(), inner,
                                     [](std::uint32_t at, const Step& step) { return at < step.inner; });
  return next == steps_.begin() ? 0 : static_cast<std::size_t>(next - steps_.begin()) - 1;
}

Span OffsetMap::to_outer(Span inner) const {
  if (steps_.empty()) return inner;
  const Step& first = step_at(inner.begin);
  const std::uint32_t begin = first.inner_size != 0 ? first.outer : first.outer + (inner.begin - first.inner);
  if (inner.end <= inner.begin) return {begin, begin};
  const Step& last = step_at(inner.end - 1);
  const std::uint32_t end = last.inner_size != 0 ? last.outer + last.outer_size : last.outer + (inner.end - last.inner);
  return {begin, std::max(begin, end)};
}

std::uint32_t OffsetMap::to_inner(std::uint32_t outer) const {
  if (steps_.empty()) return outer;
  auto next = std::upper_bound(steps_.begin(), steps_.end(), outer,
                               [](std::uint32_t at, const Step& step) { return at < step.outer; });
  if (next == steps_.begin()) return next->inner;
  const Step& step = *--next;
  return step.inner_size != 0 ? step.inner : step.inner + (outer - step.outer);
}

void PieceBuilder::copy(std::string_view bytes, std::uint32_t outer) {
  if (bytes.empty()) return;
  if (outer != run_end_) map_.add_run(size(), outer);
  text_ += bytes;
  run_end_ = outer + static_cast<std::uint32_t>(bytes.size());
}

void PieceBuilder::put(std::string_view bytes, std::uint32_t outer, std::uint32_t outer_size) {
  run_end_ = UINT32_MAX;
  if (bytes.empty()) return;
  map_.add_escape(size(), static_cast<std::uint32_t>(bytes.size()), outer, outer_size);
  text_ += bytes;
}

void PieceBuilder::append(const PieceBuilder& from, Span inner) {
  const std::string_view text = from.view();
  from.map_.each_step(
      inner, [&](Span part, std::uint32_t outer) { copy(slice(text, part), outer); },
      [&](Span part, std::uint32_t outer, std::uint32_t outer_size) { put(slice(text, part), outer, outer_size); });
}

void append_utf8(std::string& out, char32_t code) {
  if ((code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) code = 0xFFFD;
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace accelport
