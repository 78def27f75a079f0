#include "syntax/python_guards.h"

#include <algorithm>
#include <array>

namespace accelport {
namespace {

constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
constexpr int kMaxOperators = 8;  // looked at on either side of a place
constexpr int kMaxBrackets = 16;  // around a place

Guard without(Guard set, Guard removed) {
  return static_cast<Guard>(static_cast<std::uint32_t>(set) & ~static_cast<std::uint32_t>(removed));
}

bool has_part(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_branch(PyNode::Kind kind) {
  return kind == PyNode::Kind::holds || kind == PyNode::Kind::fails || kind == PyNode::Kind::matched;
}

template <std::size_t N>
bool has_any(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return has_part(text, part); });
}

}  // namespace

PyGuards::PyGuards(PyAnnotator& annotator, const PyBlocks& blocks, PyNames& names, const ReaderFacts* facts)
    : annotator_(annotator),
      lexed_(annotator.lexed()),
      blocks_(blocks),
      names_(names),
      facts_(facts),
      node_guards_(blocks.nodes.size(), kUnknown),
      family_(blocks.chains.size(), -1) {
  node_guards_[0] = 0;
}

// --- blocks ----------------------------------------------------------------------------------

Guard PyGuards::of_node(std::uint32_t node) {
  thread_local std::vector<std::uint32_t> path;
  path.clear();
  while (node_guards_[node] == kUnknown) {
    path.push_back(node);
    node = blocks_.nodes[node].parent;
  }
  auto guards = static_cast<Guard>(node_guards_[node]);
  // Reading a condition may ask for names, never for guards, so `path` stays ours.
  for (auto n = path.rbegin(); n != path.rend(); ++n) {
    guards = own_guards(blocks_.nodes[*n], guards);
    node_guards_[*n] = static_cast<std::uint64_t>(guards);
  }
  return guards;
}

Guard PyGuards::own_guards(const PyNode& node, Guard inherited) {
  const bool family = node.chain != kNone && is_family(node.chain);
  const Guard shared = family ? inherited | Guard::family : inherited;
  switch (node.kind) {
    case PyNode::Kind::root:
      return Guard::none;
    case PyNode::Kind::holds:
      return shared | of_header(node.line).holds;
    case PyNode::Kind::fails:
      return shared | of_header(node.line).fails;
    case PyNode::Kind::attempt:
      return blocks_.chains[node.chain].catches_import_error ? inherited | Guard::import_guard : inherited;
    case PyNode::Kind::handler:
      return inherited | Guard::handler;
    case PyNode::Kind::cleanup:
      return inherited | Guard::finally_block;
    case PyNode::Kind::loop:
      return inherited | Guard::loop;
    case PyNode::Kind::matched:
      return shared | of_case(node.line);
    case PyNode::Kind::marked:
      return skips_without_accelerator(node.line, node.line + 1) ? inherited | Guard::test_skip : inherited;
    case PyNode::Kind::definition: {
      const Guard outer = without(inherited, Guard::loop | Guard::finally_block | Guard::rank | Guard::handler);
      const std::uint32_t first = blocks_.decorated_by[node.line];
      const bool skips = first != node.line && skips_without_accelerator(first, node.line);
      return skips ? outer | Guard::test_skip : outer;
    }
  }
  return inherited;
}

/// Whether decorators (or a `pytestmark`) skip a test that finds no accelerator.
bool PyGuards::skips_without_accelerator(std::uint32_t first_line, std::uint32_t end_line) const {
  for (std::uint32_t line = first_line; line < end_line; ++line) {
    const PyLine& l = lexed_.lines[line];
    const std::string text = ascii_lower(lexed_.text.substr(l.begin, std::min(l.end - l.begin, 400u)));
    constexpr std::array<std::string_view, 5> kSkips = {"skip", "require", "only", "mark.", "need"};
    constexpr std::array<std::string_view, 5> kWhat = {"cuda", "gpu", "accelerator", "nccl", "triton"};
    if (has_any(text, kSkips) && has_any(text, kWhat) && !has_part(text, "parametrize")) return true;
  }
  return false;
}

const PyCondition& PyGuards::of_header(std::uint32_t line) {
  const auto known = headers_.find(line);
  if (known != headers_.end()) return known->second;
  annotator_.need_line(line);
  const std::uint32_t first = lexed_.lines[line].first;
  PyCondition read;
  if (first + 1 < lexed_.lines[line].last) {
    const PyRegion region = annotator_.region(first + 1);
    read = condition(region.begin, region.end, 0);
  }
  return headers_[line] = read;
}

Guard PyGuards::of_case(std::uint32_t line) {
  annotator_.need_line(line);
  const std::uint32_t first = lexed_.lines[line].first;
  if (first + 1 >= lexed_.lines[line].last) return Guard::none;
  const PyRegion region = annotator_.region(first + 1);
  PyCondition read;
  strings_in(region.begin, region.end, true, read);
  return read.holds;
}

bool PyGuards::is_family(std::uint32_t chain) {
  if (family_[chain] < 0) {
    family_[chain] = 0;
    std::uint32_t branches = 0;
    bool other = false;
    for (std::uint32_t line = blocks_.chains[chain].first; line != kNone; line = blocks_.next_branch[line]) {
      const bool is_case = lexed_.tokens[lexed_.lines[line].first].word() == PyWord::case_;
      other = other || has(is_case ? of_case(line) : of_header(line).holds, Guard::other_platform);
      ++branches;
    }
    family_[chain] = other && branches > 1 ? 1 : 0;
  }
  return family_[chain] != 0;
}

// --- inside a line ---------------------------------------------------------------------------

const PyCondition& PyGuards::of_ternary(std::uint32_t if_op, const PyRegion& region) {
  const auto known = ternaries_.find(if_op);
  if (known != ternaries_.end()) return known->second;
  std::uint32_t end = region.end;
  std::uint32_t next = annotator_.op(if_op).after;
  for (int i = 0; i < 64 && next != kNoToken && annotator_.op(next).word != PyWord::else_; ++i)
    next = annotator_.op(next).after;
  if (next != kNoToken) end = annotator_.op(next).token;
  const PyCondition read = condition(annotator_.op(if_op).token + 1, end, 0);
  return ternaries_[if_op] = read;
}

/// What the operators in front of a place say: `a and HERE`, `a or HERE`, `x if c else HERE`.
Guard PyGuards::before(std::uint32_t number, std::uint32_t begin) {
  Guard guards = Guard::none;
  std::uint32_t nearest = kNoToken;  // the innermost `and` or `or` whose operand begins further left
  const auto finish = [&](std::uint32_t start) {
    if (nearest == kNoToken) return;
    const PyOperator op = annotator_.op(nearest);
    const PyCondition read = condition(start, op.token, 0);
    guards |= op.word == PyWord::and_ ? read.holds : read.fails;
    nearest = kNoToken;
  };
  bool conditional = false;
  for (int steps = 0; number != kNoToken; number = annotator_.op(number).before) {
    const PyOperator op = annotator_.op(number);
    if (++steps > kMaxOperators) {
      finish(op.token + 1);
      return guards;
    }
    if (op.word == PyWord::if_ || op.word == PyWord::else_) {
      finish(op.token + 1);
      if (op.word == PyWord::if_ && !conditional) return guards;
      conditional = op.word == PyWord::else_;
      if (!conditional) guards |= of_ternary(number, annotator_.region(op.token)).fails;
    } else if (!conditional && (op.word == PyWord::and_ || op.word == PyWord::or_)) {
      if (nearest == kNoToken) {
        nearest = number;
      } else if (annotator_.op(nearest).word == PyWord::and_ && op.word == PyWord::or_) {
        finish(op.token + 1);
        nearest = number;
      }
    }
  }
  finish(begin);
  return guards;
}

/// What the condition says if the place stands in front of it: `HERE if c else x`.
Guard PyGuards::arm_behind(std::uint32_t number, const PyRegion& region) {
  number = number == kNoToken ? region.first_op : annotator_.op(number).after;
  for (int steps = 0; number != kNoToken && steps < kMaxOperators; number = annotator_.op(number).after, ++steps) {
    const PyWord word = annotator_.op(number).word;
    if (word == PyWord::else_) break;
    if (word == PyWord::if_) return of_ternary(number, region).holds;
  }
  return Guard::none;
}

Guard PyGuards::in_region(std::uint32_t token) {
  Guard guards = Guard::none;
  bool other = false;
  int tests = 0;
  for (int level = 0; level < kMaxBrackets; ++level) {
    const PyMark& mark = annotator_.mark(token);
    const PyRegion region = annotator_.region(token);
    if (region.first_op != kNoToken) {
      guards |= before(mark.op, region.begin);
      guards |= arm_behind(mark.op, region);
      int conditions = 0;
      for (std::uint32_t op = region.first_op; op != kNoToken && conditions < kMaxOperators;
           op = annotator_.op(op).after, ++conditions) {
        if (annotator_.op(op).word != PyWord::if_) continue;
        ++tests;
        other = other || has(of_ternary(op, region).holds, Guard::other_platform);
      }
    }
    if (mark.opener == kNoToken) break;
    token = mark.opener;
  }
  return other && tests > 1 ? guards | Guard::family : guards;
}

Guard PyGuards::of_line(std::uint32_t line) {
  Guard guards = of_node(blocks_.node_of_line[line]);
  const std::uint32_t chain = blocks_.chain_of_line[line];
  if (chain != kNone && is_family(chain)) guards |= Guard::family;
  const std::uint32_t definition = blocks_.decorated_by[line];
  if (definition != kNone && lexed_.is_op(lexed_.lines[line].first, '@') && skips_without_accelerator(line, line + 1)) {
    guards |= Guard::test_skip;
  }
  return guards;
}

std::uint32_t PyGuards::begin_of(std::uint32_t chain) const {
  return lexed_.tokens[lexed_.lines[blocks_.chains[chain].first].first].begin;
}

/// Each node is asked once: what lies deep is found as quickly as what lies at the top.
std::uint32_t PyGuards::family_of_node(std::uint32_t node) {
  std::vector<std::uint32_t> path;
  std::uint32_t family = Site::kNoFamily;
  for (; node != kNone; node = blocks_.nodes[node].parent) {
    if (const auto known = node_families_.find(node); known != node_families_.end()) {
      family = known->second;
      break;
    }
    path.push_back(node);
    const PyNode& here = blocks_.nodes[node];
    if (here.chain != kNone && is_branch(here.kind) && is_family(here.chain)) {
      family = begin_of(here.chain);
      break;
    }
  }
  for (const std::uint32_t passed : path) node_families_[passed] = family;
  return family;
}

std::uint32_t PyGuards::family_of(std::uint32_t token) {
  const std::uint32_t line = annotator_.line_of(token);
  if (has(in_region(token), Guard::family)) return lexed_.tokens[annotator_.statement(token).first].begin;
  const std::uint32_t own = blocks_.chain_of_line[line];
  if (own != kNone && is_family(own)) return begin_of(own);
  const std::uint32_t inner = blocks_.inner_node[line];
  return family_of_node(inner != kNone ? inner : blocks_.node_of_line[line]);
}

Guard PyGuards::at(std::uint32_t token) {
  const std::uint32_t line = annotator_.line_of(token);
  Guard guards = of_line(line);
  const std::uint32_t inner = blocks_.inner_node[line];
  if (inner != kNone && !lexed_.lines[line].header && annotator_.statement(token).first != lexed_.lines[line].first) {
    guards |= of_node(inner);
  }
  return guards | in_region(token);
}

}  // namespace accelport
