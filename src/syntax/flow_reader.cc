#include "syntax/flow_reader.h"

#include <algorithm>
#include <charconv>

#include "syntax/config_value.h"

namespace accelport {
namespace {

constexpr std::size_t kMaxPathKeys = 24;

bool is_bracket(char c) { return c == '{' || c == '}' || c == '[' || c == ']'; }

int hex4(std::string_view text, std::size_t at) {
  int value = 0;
  if (at + 4 > text.size()) return -1;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + 4, value, 16);
  return error == std::errc() && end == text.data() + at + 4 ? value : -1;
}

}  // namespace

std::string unescape_json(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 >= text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    const std::size_t simple = std::string_view("nrtbf").find(c);
    if (c == 'u') {
      const int unit = hex4(text, i + 1);
      if (unit < 0) {
        out += "\\u";
        continue;
      }
      i += 4;
      const int low = unit >= 0xD800 && unit < 0xDC00 && text.substr(i + 1, 2) == "\\u" ? hex4(text, i + 3) : -1;
      if (low >= 0xDC00 && low < 0xE000) i += 6;
      append_utf8(out, low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00) : unit);
    } else {
      out += simple == std::string_view::npos ? c : "\n\r\t\b\f"[simple];
    }
  }
  return out;
}

std::uint32_t FlowReader::read_value(std::uint32_t begin, std::uint32_t end) {
  at_ = begin;
  end_ = end;
  do {
    step();
  } while (at_ < end_ && !frames_.empty());
  if (!frames_.empty()) sink_.add_damage();
  flush_words();
  return at_;
}

void FlowReader::read_all(std::uint32_t begin, std::uint32_t end) {
  at_ = begin;
  end_ = end;
  while (at_ < end_) step();
  if (!frames_.empty()) sink_.add_damage();
  flush_words();
}

void FlowReader::step() {
  const char c = sink_.text()[at_];
  if (c == '{' || c == '[') {
    frames_.push_back({c == '{', {}});
    ++at_;
  } else if (c == '}' || c == ']') {
    close();
  } else if (c == ',') {
    end_entry();
    ++at_;
  } else if (is_ascii_space(c) || c == ':' || (c == '=' && style_ == Style::toml)) {
    ++at_;
  } else if (at_comment()) {
    skip_comment();
  } else {
    read_scalar();
  }
}

bool FlowReader::at_comment() const {
  const std::string_view text = sink_.text();
  if (text[at_] == '#')
    return style_ != Style::json || at_ == 0 || text[at_ - 1] == '\n' || is_ascii_space(text[at_ - 1]);
  return style_ == Style::json && text[at_] == '/' && at_ + 1 < end_ && (text[at_ + 1] == '/' || text[at_ + 1] == '*');
}

void FlowReader::skip_comment() {
  const std::string_view text = sink_.text();
  const std::uint32_t begin = at_;
  std::size_t stop = 0;
  if (text[at_] == '/' && text[at_ + 1] == '*') {
    stop = text.find("*/", at_ + 2);
    stop = stop == std::string_view::npos ? end_ : stop + 2;
  } else {
    stop = text.find('\n', at_);
  }
  at_ = static_cast<std::uint32_t>(std::min<std::size_t>(stop, end_));
  for (std::uint32_t line = begin; line < at_;) {
    const TextLine one = line_from(text.substr(0, at_), line);
    if (Site* site = sink_.add(trim(text, one.span), SiteKind::comment, Context::none))
      site->value = std::string(trim(sink_.text(one.span)));
    line = one.next;
  }
}

void FlowReader::close() {
  const bool map = sink_.text()[at_] == '}';
  ++at_;
  if (frames_.empty() || frames_.back().is_map != map) {
    sink_.add_damage();
    if (frames_.empty()) return;
  }
  flush_words();
  frames_.pop_back();
}

void FlowReader::end_entry() {
  ++sink_.statement;
  if (!frames_.empty()) frames_.back().key = {};
}

std::uint32_t FlowReader::string_end(std::uint32_t begin) const {
  const std::string_view text = sink_.text();
  const char quote = text[begin];
  const bool escapes = quote == '"';
  if (style_ == Style::toml && text.substr(begin, 3) == std::string(3, quote)) {
    const std::size_t close = text.find(std::string(3, quote), begin + 3);
    return close == std::string_view::npos ? end_ : static_cast<std::uint32_t>(close) + 3;
  }
  for (std::uint32_t i = begin + 1; i < end_; ++i) {
    if (text[i] == '\\' && escapes) {
      ++i;
    } else if (text[i] == quote) {
      if (style_ == Style::yaml && quote == '\'' && i + 1 < end_ && text[i + 1] == quote) {
        ++i;
      } else {
        return i + 1;
      }
    } else if (text[i] == '\n' && style_ != Style::yaml) {
      return i;
    }
  }
  return end_;
}

std::uint32_t FlowReader::plain_end(std::uint32_t begin) const {
  const std::string_view text = sink_.text();
  std::uint32_t i = begin;
  for (; i < end_; ++i) {
    const char c = text[i];
    if (is_bracket(c) || c == ',' || c == '\n' || (c == '=' && style_ == Style::toml)) break;
    if (c == ':' && (style_ == Style::json || i + 1 >= end_ || is_ascii_space(text[i + 1]) || is_bracket(text[i + 1]) ||
                     text[i + 1] == ','))
      break;
    if (c == '#' && i > begin && is_ascii_space(text[i - 1])) break;
  }
  while (i > begin + 1 && is_ascii_space(text[i - 1])) --i;
  return std::max(i, begin + 1);
}

bool FlowReader::key_follows(std::uint32_t at) const {
  while (at < end_ && (sink_.text()[at] == ' ' || sink_.text()[at] == '\t')) ++at;
  return at < end_ && (sink_.text()[at] == ':' || (style_ == Style::toml && sink_.text()[at] == '='));
}

void FlowReader::read_scalar() {
  const char c = sink_.text()[at_];
  const bool quoted = c == '"' || (c == '\'' && style_ != Style::json);
  const std::uint32_t begin = at_;
  at_ = quoted ? string_end(at_) : plain_end(at_);
  const Span raw{begin, std::min(at_, end_)};
  Span inner = raw;
  if (quoted && raw.size() >= 2) inner = {raw.begin + 1, sink_.text()[raw.end - 1] == c ? raw.end - 1 : raw.end};
  const bool key = key_follows(at_) && (frames_.empty() || frames_.back().is_map || style_ == Style::yaml);
  if (!key) return add_value(raw, inner, quoted);
  if (!frames_.empty()) frames_.back().key = sink_.text(inner);
  add_key(raw, at_);
}

std::string FlowReader::path() const {
  std::string out = base_;
  const std::size_t from = frames_.size() > kMaxPathKeys ? frames_.size() - kMaxPathKeys : 0;
  for (std::size_t i = from; i < frames_.size(); ++i) {
    const std::string_view key = frames_[i].is_map ? frames_[i].key : "[]";
    if (key.empty()) continue;
    if (!out.empty()) out += '.';
    out += key.substr(0, 120);
  }
  return out;
}

void FlowReader::add_key(Span raw, std::uint32_t after) {
  if (!sink_.touched(raw)) return;
  while (after < end_ &&
         (is_ascii_space(sink_.text()[after]) || sink_.text()[after] == ':' || sink_.text()[after] == '='))
    ++after;
  std::string value;
  if (after < end_ && !is_bracket(sink_.text()[after])) {
    const char c = sink_.text()[after];
    const std::uint32_t stop = c == '"' || c == '\'' ? string_end(after) : plain_end(after);
    value = unescape_json(without_quotes(sink_.text({after, std::min(stop, after + 400)})));
  }
  add_config_key(sink_, raw, path(), value);
}

void FlowReader::add_value(Span raw, Span inner, bool quoted) {
  const FileRole roles = sink_.input().kind.roles;
  const bool list = !frames_.empty() && !frames_.back().is_map;
  const bool words = list &&
                     has(roles, FileRole::ci | FileRole::compose | FileRole::kubernetes | FileRole::tool_config) &&
                     is_arguments_path(path(), roles);
  if (words) {
    words_.push_back({inner, unescape_json(sink_.text(inner))});
    return;
  }
  if (!sink_.touched(raw)) return;
  const std::string where = path();
  if (style_ == Style::yaml && is_script_path(where, roles)) {
    sink_.read_piece(inner, {Language::shell, roles});
    return;
  }
  add_config_value(
      sink_, raw, where,
      quoted && sink_.text()[raw.begin] == '"' ? unescape_json(sink_.text(inner)) : std::string(sink_.text(inner)));
}

void FlowReader::flush_words() {
  if (words_.empty()) return;
  const Span all{words_.front().span.begin, words_.back().span.end};
  if (sink_.touched(all)) {
    if (words_.size() >= 2 && words_.back().value.find(' ') != std::string::npos &&
        words_[words_.size() - 2].value.starts_with('-') && words_[words_.size() - 2].value.ends_with('c')) {
      sink_.read_piece(words_.back().span, {Language::shell, sink_.input().kind.roles});
      words_.pop_back();
    }
    CommandLine(sink_, words_).emit();
  }
  words_.clear();
}

}  // namespace accelport
