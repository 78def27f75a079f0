#include "audit/opt_out.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

namespace accelport {
namespace {

constexpr std::string_view kMark = "accelport:";
/// A line can be a whole file, and hold any number of marks.
constexpr std::size_t kMaxComment = 1000;
constexpr std::array<std::string_view, 7> kCommentMarks = {"#", "//", "/*", "<!--", "--", ";", "%"};

/// What stands before the mark: the code, if a comment marker directly precedes the mark.
bool split_at_comment(std::string_view before, std::string_view& code) {
  before = trim(before);
  for (const std::string_view mark : kCommentMarks) {
    if (before.size() < mark.size() || before.substr(before.size() - mark.size()) != mark) continue;
    code = trim(before.substr(0, before.size() - mark.size()));
    return true;
  }
  return false;
}

std::string_view without_comment_end(std::string_view text) {
  text = trim(text);
  for (const std::string_view end : {std::string_view("*/"), std::string_view("-->")})
    if (text.size() >= end.size() && text.substr(text.size() - end.size()) == end) text.remove_suffix(end.size());
  return trim(text);
}

void parse_words(std::string_view words, OptOut& found) {
  const std::size_t dashes = words.find("--");
  const std::string_view name = trim(words.substr(0, dashes));
  const auto decision = parse_decision(name);
  if (!decision) {
    found.problem =
        fmt::format("'{}' is no decision; write abstract, retain, replace, fallback, unsupported or ignore", name);
    return;
  }
  found.decision = *decision;
  if (dashes != std::string_view::npos) found.reason = trim(words.substr(dashes + 2));
  if (found.reason.empty()) found.problem = fmt::format("a reason is missing; write: accelport: {} -- why", name);
}

}  // namespace

std::vector<OptOut> find_opt_outs(std::string_view text, const LineTable& lines) {
  std::vector<OptOut> found;
  for (std::size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at + kMark.size())) {
    OptOut opt_out;
    opt_out.comment_line = lines.position(static_cast<std::uint32_t>(at)).line;
    const Span line = lines.line(opt_out.comment_line);
    std::string_view code;
    if (!split_at_comment(text.substr(line.begin, at - line.begin), code)) continue;
    opt_out.line = code.empty() ? opt_out.comment_line + 1 : opt_out.comment_line;
    parse_words(without_comment_end(
                    text.substr(at + kMark.size(), std::min<std::size_t>(line.end - at - kMark.size(), kMaxComment))),
                opt_out);
    found.push_back(std::move(opt_out));
  }
  return found;
}

}  // namespace accelport
