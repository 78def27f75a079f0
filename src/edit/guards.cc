#include "edit/guards.h"

#include <algorithm>
#include <string_view>

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

}  // namespace

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
