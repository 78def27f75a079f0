#include "edit/diff.h"

#include <algorithm>

#include <fmt/format.h>

namespace accelport {
namespace {

std::size_t line_begin(std::string_view text, std::size_t offset) {
  if (offset == 0) return 0;
  const std::size_t end = text.rfind('\n', offset - 1);
  return end == std::string_view::npos ? 0 : end + 1;
}

std::size_t line_end(std::string_view text, std::size_t offset) {
  const std::size_t end = text.find('\n', offset);
  return end == std::string_view::npos ? text.size() : end + 1;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = line_end(text, 0);
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// Whole lines of both texts that hold one edit or several on the same lines.
struct Region {
  std::size_t old_begin, old_end, new_begin, new_end;
};

/// True if what replaces [begin, span.end) of the old text ends where a line does, so that the next line is untouched.
bool ends_with_its_line(std::string_view before, const Edit& edit, std::size_t begin) {
  if (edit.span.end != line_begin(before, edit.span.end)) return false;
  return edit.text.empty() ? begin == edit.span.begin : edit.text.back() == '\n';
}

std::vector<Region> regions_of(const FileChange& change) {
  std::vector<Region> regions;
  const std::string_view before = change.before;
  std::int64_t shift = 0;  // of the new text against the old behind the last edit
  for (const Edit& edit : change.edits) {
    std::size_t begin = line_begin(before, edit.span.begin);
    const std::int64_t shift_before = shift;
    shift += static_cast<std::int64_t>(edit.text.size()) - edit.span.size();
    const bool same_line = !regions.empty() && begin < regions.back().old_end;
    if (same_line) begin = regions.back().old_begin;
    std::size_t end = ends_with_its_line(before, edit, begin) ? edit.span.end : line_end(before, edit.span.end);
    if (same_line) {
      regions.back().old_end = std::max(regions.back().old_end, end);
      end = regions.back().old_end;
    } else {
      regions.push_back({begin, end, static_cast<std::size_t>(begin + shift_before), 0});
    }
    regions.back().new_end = static_cast<std::size_t>(end + shift);
  }
  return regions;
}

/// Leaves out the lines at both ends that are the same in both texts.
void trim_block(DiffBlock& block) {
  std::size_t same = 0;
  const std::size_t least = std::min(block.removed.size(), block.added.size());
  while (same < least && block.removed[same] == block.added[same]) ++same;
  block.removed.erase(block.removed.begin(), block.removed.begin() + static_cast<std::ptrdiff_t>(same));
  block.added.erase(block.added.begin(), block.added.begin() + static_cast<std::ptrdiff_t>(same));
  block.old_line += static_cast<std::uint32_t>(same);
  block.new_line += static_cast<std::uint32_t>(same);
  while (!block.removed.empty() && !block.added.empty() && block.removed.back() == block.added.back()) {
    block.removed.pop_back();
    block.added.pop_back();
  }
}

std::uint32_t count_lines(std::string_view text) {
  return static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Turns blocks into hunks; knows the unchanged lines between them.
class HunkMaker {
 public:
  HunkMaker(const FileChange& change, std::uint32_t context) : old_(lines_of(change.before)), context_(context) {}

  std::vector<DiffHunk> run(const std::vector<DiffBlock>& blocks) {
    for (const DiffBlock& block : blocks) {
      const bool close = !hunks_.empty() && block.old_line - next_ <= 2 * context_;
      if (!close) {
        finish();
        start(block);
      }
      keep(block.old_line);
      for (const std::string_view line : block.removed) put('-', line);
      for (const std::string_view line : block.added) put('+', line);
      next_ = block.old_line + static_cast<std::uint32_t>(block.removed.size());
    }
    finish();
    return std::move(hunks_);
  }

 private:
  void start(const DiffBlock& block) {
    const std::uint32_t lead = std::min(context_, block.old_line);
    hunks_.emplace_back();
    hunks_.back().old_line = block.old_line - lead + 1;
    hunks_.back().new_line = block.new_line - lead + 1;
    next_ = block.old_line - lead;
  }

  void put(char mark, std::string_view line) {
    DiffHunk& hunk = hunks_.back();
    hunk.lines.push_back({mark, line});
    hunk.old_count += mark != '+';
    hunk.new_count += mark != '-';
  }

  void keep(std::uint32_t until) {
    for (; next_ < until; ++next_) put(' ', old_[next_]);
  }

  void finish() {
    if (hunks_.empty()) return;
    keep(std::min(next_ + context_, static_cast<std::uint32_t>(old_.size())));
    DiffHunk& hunk = hunks_.back();
    hunk.old_line -= hunk.old_count == 0;
    hunk.new_line -= hunk.new_count == 0;
  }

  std::vector<std::string_view> old_;
  std::uint32_t context_;
  std::uint32_t next_ = 0;  // the first old line that no hunk has
  std::vector<DiffHunk> hunks_;
};

DiffBlock whole_new_file(const FileChange& change) { return {0, 0, {}, lines_of(change.after)}; }

std::string range(std::uint32_t line, std::uint32_t count) {
  return count == 1 ? std::to_string(line) : fmt::format("{},{}", line, count);
}

void append_line(std::string& out, const DiffHunk::Line& line) {
  out += line.mark;
  out += line.text;
  if (line.text.empty() || line.text.back() != '\n') out += "\n\\ No newline at end of file\n";
}

/// git ends a name with a blank in it by a tab, so that it is not taken for a name and a date.
std::string name_line(std::string_view mark, const std::string& path) {
  return fmt::format("{} {}{}\n", mark, path, path.find(' ') != std::string::npos ? "\t" : "");
}

std::string escaped_byte(unsigned char c) {
  static constexpr std::string_view kNamed = "abtnvfr";  // from 7 on
  if (c >= 7 && c <= 13) return {'\\', kNamed[c - 7u]};
  if (c == '"' || c == '\\') return {'\\', static_cast<char>(c)};
  return c < 0x20 || c >= 0x7F ? fmt::format("\\{:03o}", c) : std::string(1, static_cast<char>(c));
}

}  // namespace

std::string DiffHunk::header() const {
  return fmt::format("@@ -{} +{} @@", range(old_line, old_count), range(new_line, new_count));
}

std::vector<DiffBlock> diff_blocks(const FileChange& change) {
  if (change.created) return {whole_new_file(change)};
  std::vector<DiffBlock> blocks;
  const std::string_view before = change.before, after = change.after;
  std::size_t counted_old = 0, counted_new = 0;
  std::uint32_t old_line = 0, new_line = 0;
  for (const Region& region : regions_of(change)) {
    old_line += count_lines(before.substr(counted_old, region.old_begin - counted_old));
    new_line += count_lines(after.substr(counted_new, region.new_begin - counted_new));
    counted_old = region.old_begin;
    counted_new = region.new_begin;
    DiffBlock block{old_line, new_line, lines_of(before.substr(region.old_begin, region.old_end - region.old_begin)),
                    lines_of(after.substr(region.new_begin, region.new_end - region.new_begin))};
    trim_block(block);
    if (!block.removed.empty() || !block.added.empty()) blocks.push_back(std::move(block));
  }
  return blocks;
}

std::vector<DiffHunk> diff_hunks(const FileChange& change, std::uint32_t context) {
  const std::vector<DiffBlock> blocks = diff_blocks(change);
  if (blocks.size() == 1 && blocks[0].removed.empty() && blocks[0].added.empty()) return {};
  return HunkMaker(change, context).run(blocks);
}

std::string quoted_path(std::string_view prefix, std::string_view path) {
  std::string out;
  bool unusual = false;
  for (const char c : path) {
    const std::string escaped = escaped_byte(static_cast<unsigned char>(c));
    unusual |= escaped.size() > 1;
    out += escaped;
  }
  return unusual ? fmt::format("\"{}{}\"", prefix, out) : std::string(prefix) + std::string(path);
}

std::string unified_diff(const FileChange& change, std::uint32_t context) {
  const std::vector<DiffHunk> hunks = diff_hunks(change, context);
  if (hunks.empty() && !change.created) return {};
  const std::string old_name = quoted_path("a/", change.path), new_name = quoted_path("b/", change.path);
  std::string out = fmt::format("diff --git {} {}\n", old_name, new_name);
  if (change.created) out += fmt::format("new file mode 100{:03o}\n", (change.mode & 0111) != 0 ? 0755 : 0644);
  if (hunks.empty()) return out + "index 0000000..e69de29\n";
  out += name_line("---", change.created ? "/dev/null" : old_name) + name_line("+++", new_name);
  for (const DiffHunk& hunk : hunks) {
    out += hunk.header() + "\n";
    for (const DiffHunk::Line& line : hunk.lines) append_line(out, line);
  }
  return out;
}

std::string unified_diff(const Plan& plan) {
  std::string out;
  for (const FileChange& change : plan.changes) out += unified_diff(change);
  return out;
}

}  // namespace accelport
