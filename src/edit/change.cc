#include "edit/change.h"

#include "base/result.h"

namespace accelport {

std::string apply_edits(std::string_view before, const std::vector<Edit>& edits) {
  std::size_t size = before.size();
  for (const Edit& edit : edits) size = size - edit.span.size() + edit.text.size();
  std::string after;
  after.reserve(size);
  std::uint32_t done = 0;
  for (const Edit& edit : edits) {
    ACCELPORT_CHECK(edit.span.begin >= done && edit.span.end >= edit.span.begin && edit.span.end <= before.size());
    after.append(before.substr(done, edit.span.begin - done)).append(edit.text);
    done = edit.span.end;
  }
  return after.append(before.substr(done));
}

Edit narrow_edit(std::string_view before, std::string_view after) {
  std::size_t front = 0, back = 0;
  const std::size_t size = std::min(before.size(), after.size());
  while (front < size && before[front] == after[front]) ++front;
  while (back < size - front && before[before.size() - 1 - back] == after[after.size() - 1 - back]) ++back;
  return {{static_cast<std::uint32_t>(front), static_cast<std::uint32_t>(before.size() - back)},
          std::string(after.substr(front, after.size() - back - front)),
          {},
          {}};
}

}  // namespace accelport
