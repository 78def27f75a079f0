#include "edit/guards.h"

#include <algorithm>
#include <string_view>

#include <fmt/core.h>

namespace accelport {
namespace {

constexpr std::string_view kQuestion = "is_available";

/// The place stands under a condition that is written in `line`.
bool depends_on(const PythonSource& source, Span span, std::uint32_t line) {
  const std::uint32_t token = source.token_at(span.begin);
  if (token == kNoToken) return false;
  const PyBlocks& blocks = source.blocks;
  std::uint32_t node = blocks.node_of_line[source.annotator.line_of(token)];
  for (; node != kNone; node = blocks.nodes[node].parent) {
    const PyNode& condition = blocks.nodes[node];
    if (condition.kind != PyNode::Kind::holds && condition.kind != PyNode::Kind::fails) continue;
    if (condition.line == line) return true;
  }
  return false;
}

/// The operators between two tokens of one region join them by `and`.
bool joined_by_and(const PythonSource& source, std::uint32_t first, std::uint32_t second) {
  bool joined = false;
  for (std::uint32_t op = source.mark(second).op; op != kNoToken; op = source.annotator.op(op).before) {
    const PyOperator operation = source.annotator.op(op);
    if (operation.token < first) break;
    if (operation.word != PyWord::and_ && operation.word != PyWord::none) return false;
    joined = joined || operation.word == PyWord::and_;
  }
  return joined;
}

/// Both are operands, or lie in operands, of one `and`.
bool in_one_and(const PythonSource& source, std::uint32_t a, std::uint32_t b) {
  for (std::uint32_t x = a; x != kNoToken; x = source.mark(x).opener)
    for (std::uint32_t y = b; y != kNoToken; y = source.mark(y).opener)
      if (source.mark(x).region == source.mark(y).region) return joined_by_and(source, std::min(x, y), std::max(x, y));
  return false;
}

}  // namespace

std::string and_problem(const PythonSource& source, const TextOccurrence& asked, const std::vector<Staying>& staying) {
  const std::uint32_t token = source.token_at(asked.span.begin);
  if (token == kNoToken) return {};
  const std::uint32_t logical = source.annotator.line_of(token);
  const auto first = std::partition_point(staying.begin(), staying.end(),
                                          [&](const Staying& other) { return other.logical < logical; });
  for (auto other = first; other != staying.end() && other->logical == logical; ++other)
    if (in_one_and(source, token, other->token))
      return fmt::format("belongs together with line {}, which stays: {}", other->line, other->reason);
  return {};
}

std::string guard_problem(const PythonSource& source, const TextOccurrence& guard,
                          const std::vector<TextOccurrence>& occurrences, const std::vector<Span>& tools) {
  if (tools.empty() || guard.function == nullptr || guard.function->name != kQuestion) return {};
  const std::uint32_t token = source.token_at(guard.span.begin);
  if (token == kNoToken) return {};
  const std::uint32_t line = source.annotator.line_of(token);
  const auto under = [&](Span span) { return depends_on(source, span, line); };
  if (std::none_of(tools.begin(), tools.end(), under)) return {};
  const bool more = std::any_of(occurrences.begin(), occurrences.end(), [&](const TextOccurrence& o) {
    return o.span.begin != guard.span.begin && under(o.span);
  });
  return more ? "" : "guards a tool of NVIDIA's own, which raises where another card is";
}

}  // namespace accelport
