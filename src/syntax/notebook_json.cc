#include "syntax/notebook_json.h"

#include "syntax/flow_reader.h"

namespace accelport {
namespace {

/// Walks JSON without a tree: a stack of open brackets and the key each was opened under.
class CellWalker {
 public:
  CellWalker(std::string_view text, std::uint32_t& damage) : text_(text), damage_(damage) {}

  std::vector<NotebookCell> walk();

 private:
  struct Frame {
    bool is_map;
    std::string_view key;     // the key that is being read (maps)
    std::string_view opened;  // the key under which it was opened
    std::uint32_t begin;
  };

  void open(bool map);
  void close();
  void string();
  void take_value(Span inner);
  bool in_cell() const { return cell_depth_ != 0; }
  /// The cell's own key, if the walk is directly in the cell or `deeper` levels below it.
  std::string_view cell_key() const { return in_cell() ? frames_[cell_depth_ - 1].key : std::string_view(); }

  std::string_view text_;
  std::uint32_t& damage_;
  std::uint32_t at_ = 0;
  std::vector<Frame> frames_;
  std::size_t cell_depth_ = 0;  // size of `frames_` with the cell's map on top; 0 outside of cells
  NotebookCell cell_;
  std::vector<NotebookCell> cells_;
};

std::vector<NotebookCell> CellWalker::walk() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      string();
    } else if (c == '{' || c == '[') {
      open(c == '{');
    } else if (c == '}' || c == ']') {
      close();
    } else {
      if (c == ',' && !frames_.empty()) frames_.back().key = {};
      ++at_;
    }
  }
  if (!frames_.empty()) ++damage_;
  if (in_cell()) {
    cell_.whole.end = static_cast<std::uint32_t>(text_.size());
    cells_.push_back(std::move(cell_));
  }
  return std::move(cells_);
}

void CellWalker::open(bool map) {
  const std::string_view key = frames_.empty()         ? std::string_view()
                               : frames_.back().is_map ? frames_.back().key
                                                       : std::string_view();
  const bool in_cells =
      map && !in_cell() && !frames_.empty() && !frames_.back().is_map && frames_.back().opened == "cells";
  frames_.push_back({map, {}, key, at_});
  if (in_cells) {
    cell_depth_ = frames_.size();
    cell_ = {};
    cell_.whole.begin = at_;
  }
  ++at_;
}

void CellWalker::close() {
  const bool map = text_[at_] == '}';
  ++at_;
  if (frames_.empty()) {
    ++damage_;
    return;
  }
  if (frames_.back().is_map != map) ++damage_;
  const Frame frame = frames_.back();
  if (in_cell() && frames_.size() == cell_depth_ + 1 && (frame.opened == "outputs")) cell_.outputs = {frame.begin, at_};
  if (in_cell() && frames_.size() == cell_depth_) {
    cell_.whole.end = at_;
    cells_.push_back(std::move(cell_));
    cell_depth_ = 0;
  }
  frames_.pop_back();
}

void CellWalker::string() {
  const std::uint32_t begin = ++at_;
  while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n')
    at_ += text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n' ? 2 : 1;
  const auto size = static_cast<std::uint32_t>(text_.size());
  if (at_ >= size || text_[at_] == '\n') ++damage_;
  const Span inner{begin, std::min(at_, size)};
  at_ = std::min(at_ + 1, size);
  std::uint32_t next = at_;
  while (next < size && is_ascii_space(text_[next])) ++next;
  if (next < size && text_[next] == ':' && !frames_.empty() && frames_.back().is_map) {
    frames_.back().key = slice(text_, inner);
    return;
  }
  take_value(inner);
}

void CellWalker::take_value(Span inner) {
  if (!in_cell()) return;
  const bool direct = frames_.size() == cell_depth_;
  const bool listed = frames_.size() == cell_depth_ + 1 && !frames_.back().is_map;
  if (direct && cell_key() == "cell_type") cell_.type = slice(text_, inner);
  if ((direct || listed) && (cell_key() == "source" || cell_key() == "input")) cell_.source.push_back(inner);
}

void append_escape(PieceBuilder& piece, std::string_view text, std::uint32_t& i, std::uint32_t end) {
  std::uint32_t size = 2;
  if (text.substr(i, 2) == "\\u")
    size = slice(text, {i + 6, i + 8}) == "\\u" && (text[i + 2] == 'd' || text[i + 2] == 'D') && text[i + 3] != '0' ? 12
                                                                                                                    : 6;
  size = std::min(size, end - i);
  const std::string value = unescape_json(text.substr(i, size));
  piece.put(value, i, size);
  i += size;
}

}  // namespace

std::vector<NotebookCell> find_cells(std::string_view text, std::uint32_t& damage) {
  return CellWalker(text, damage).walk();
}

PieceBuilder cell_source(std::string_view text, const NotebookCell& cell) {
  PieceBuilder piece;
  for (const Span part : cell.source) {
    for (std::uint32_t i = part.begin; i < part.end;) {
      std::uint32_t run = i;
      while (run < part.end && text[run] != '\\') ++run;
      piece.copy(slice(text, {i, run}), i);
      i = run;
      if (i < part.end) append_escape(piece, text, i, part.end);
    }
  }
  return piece;
}

}  // namespace accelport
