#include "syntax/python_guards.h"

#include <algorithm>
#include <array>

#include "syntax/device_words.h"
#include "syntax/python_strings.h"

namespace accelport {
namespace {

constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
constexpr int kMaxNesting = 8;    // of parentheses in a condition
constexpr int kMaxOperators = 8;  // looked at on either side of a place
constexpr int kMaxBrackets = 16;  // around a place

Guard without(Guard set, Guard removed) {
  return static_cast<Guard>(static_cast<std::uint32_t>(set) & ~static_cast<std::uint32_t>(removed));
}
Guard common(Guard a, Guard b) {
  return static_cast<Guard>(static_cast<std::uint32_t>(a) & static_cast<std::uint32_t>(b));
}
PyCondition swapped(const PyCondition& c) { return {c.fails, c.holds}; }
PyCondition both(Guard guard) { return {guard, guard}; }

bool has_part(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

template <std::size_t N>
bool has_any(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return has_part(text, part); });
}

std::string_view last_part(std::string_view api) { return api.substr(api.rfind('.') + 1); }

constexpr std::array<std::string_view, 16> kNvidiaNames = {
    "get_device_capability", "get_device_properties", "get_device_name", "get_arch_list", "nvml", "nvidia",
    "hopper", "ampere", "blackwell", "turing", "volta", "compute_capability", "capability", "sm90", "sm_90", "sm80"};
constexpr std::array<std::string_view, 12> kNvidiaCards = {
    "nvidia", "h100", "h200", "a100", "v100", "b200", "rtx", "tesla", "geforce", "sm_", "hopper", "ampere"};
constexpr std::array<std::string_view, 6> kTorchVersions = {
    "torch.__version__", "torch_version", "version.parse", "looseversion", "torch_major", "pytorch_version"};
constexpr std::array<std::string_view, 10> kRanks = {
    "rank", "local_rank", "global_rank", "get_rank", "is_main_process", "is_local_main_process", "is_rank_zero",
    "is_master", "is_main", "world_rank"};
constexpr std::array<std::string_view, 13> kOptionRoots = {
    "args", "opts", "opt", "cfg", "config", "conf", "FLAGS", "params", "hparams", "options", "settings", "flags",
    "arguments"};

/// A word that is another accelerator's, between "_" and the like: is_npu_available, use_xpu.
bool names_other_device(std::string_view lower, const ReaderFacts* facts) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= lower.size(); ++i) {
    if (i < lower.size() && is_word_byte(lower[i]) && lower[i] != '_') continue;
    if (i > begin && is_other_device(lower.substr(begin, i - begin), facts)) return true;
    begin = i + 1;
  }
  return false;
}

PyCondition of_cuda_flag(std::string_view api, std::string_view last, bool called) {
  if (last == "is_cuda") return {Guard::device_type, Guard::not_device_type};
  if (has_part(last, "no_cuda") || has_part(last, "without_cuda") || has_part(last, "disable_cuda") ||
      has_part(last, "not_cuda") || has_part(last, "no_gpu")) {
    return {Guard::unavailable, Guard::available};
  }
  if (last == "is_cuda_tensor" || (called && last == "is_cuda_device")) return {Guard::device_type, Guard::not_device_type};
  static_cast<void>(api);
  return {Guard::available, Guard::unavailable};
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
    case PyNode::Kind::root: return Guard::none;
    case PyNode::Kind::holds: return shared | of_header(node.line).holds;
    case PyNode::Kind::fails: return shared | of_header(node.line).fails;
    case PyNode::Kind::attempt:
      return blocks_.chains[node.chain].catches_import_error ? inherited | Guard::import_guard : inherited;
    case PyNode::Kind::handler: return inherited | Guard::handler;
    case PyNode::Kind::cleanup: return inherited | Guard::finally_block;
    case PyNode::Kind::loop: return inherited | Guard::loop;
    case PyNode::Kind::matched: return shared | of_case(node.line);
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
    const PyRegion& region = annotator_.region(first + 1);
    read = condition(region.begin, region.end, 0);
  }
  return headers_[line] = read;
}

Guard PyGuards::of_case(std::uint32_t line) {
  annotator_.need_line(line);
  const std::uint32_t first = lexed_.lines[line].first;
  if (first + 1 >= lexed_.lines[line].last) return Guard::none;
  const PyRegion& region = annotator_.region(first + 1);
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

// --- conditions ------------------------------------------------------------------------------

/// The next token that is not inside a bracket or f-string that `token` opens.
std::uint32_t PyGuards::next_at_level(std::uint32_t token) const {
  const PyToken& t = lexed_.tokens[token];
  const bool opens = t.kind == PyKind::fstring_begin || t.kind == PyKind::field_open ||
                     (t.kind == PyKind::op && (t.op == '(' || t.op == '[' || t.op == '{'));
  if (!opens) return token + 1;
  const std::uint32_t mate = annotator_.mark(token).mate;
  return mate == kNoToken || mate < token ? token + 1 : mate + 1;
}

PyCondition PyGuards::condition(std::uint32_t begin, std::uint32_t end, int depth) {
  bool any_or = false, any_and = false;
  for (std::uint32_t i = begin; i < end; i = next_at_level(i)) {
    any_or = any_or || annotator_.keyword(i) == PyWord::or_;
    any_and = any_and || annotator_.keyword(i) == PyWord::and_;
  }
  if (any_or) return joined(begin, end, PyWord::or_, depth);
  if (any_and) return joined(begin, end, PyWord::and_, depth);
  return operand(begin, end, depth);
}

/// An `and` implies all its operands, an `or` what they have in common; denied the other way round.
PyCondition PyGuards::joined(std::uint32_t begin, std::uint32_t end, PyWord word, int depth) {
  PyCondition all;
  std::uint32_t start = begin;
  bool first = true;
  for (std::uint32_t i = begin; i <= end;) {
    if (i == end || annotator_.keyword(i) == word) {
      PyCondition one = word == PyWord::or_ ? condition(start, i, depth) : operand(start, i, depth);
      if (word == PyWord::or_) one = swapped(one);
      all.fails = first ? one.fails : common(all.fails, one.fails);
      all.holds |= one.holds;
      first = false;
      start = i + 1;
      if (i == end) break;
    }
    i = std::min(next_at_level(i), end);
  }
  return word == PyWord::or_ ? swapped(all) : all;
}

PyCondition PyGuards::operand(std::uint32_t begin, std::uint32_t end, int depth) {
  bool negated = false;
  while (begin < end && annotator_.keyword(begin) == PyWord::not_) {
    negated = !negated;
    ++begin;
  }
  PyCondition read;
  if (begin >= end) return read;
  const bool wrapped = lexed_.is_op(begin, '(') && annotator_.mark(begin).mate == end - 1;
  if (wrapped && depth < kMaxNesting) {
    read = condition(begin + 1, end - 1, depth + 1);
  } else if (const std::uint32_t op = find_comparison(begin, end); op != kNoToken) {
    read = comparison(begin, op, end);
  } else {
    read = truth(begin, end);
  }
  return negated ? swapped(read) : read;
}

std::uint32_t PyGuards::find_comparison(std::uint32_t begin, std::uint32_t end) const {
  for (std::uint32_t i = begin; i < end; i = next_at_level(i)) {
    const PyWord word = annotator_.keyword(i);
    if (word == PyWord::in_ || word == PyWord::is_ || (word == PyWord::not_ && i > begin)) return i;
    const PyToken& t = lexed_.tokens[i];
    if (t.kind != PyKind::op) continue;
    if (t.op2 == '=' && (t.op == '=' || t.op == '!' || t.op == '<' || t.op == '>')) return i;
    if ((t.op == '<' || t.op == '>') && (t.op2 == 0 || (t.op == '<' && t.op2 == '>'))) return i;
  }
  return kNoToken;
}

/// The first chain of [begin, end): what the operand is about.
PyName PyGuards::subject(std::uint32_t begin, std::uint32_t end, std::uint32_t& first, std::uint32_t& last) {
  first = last = kNoToken;
  for (std::uint32_t i = begin; i < end && i < begin + 64; ++i) {
    if (!annotator_.is_plain_name(i)) continue;
    first = annotator_.mark(i).first;
    last = annotator_.mark(i).last;
    const std::string_view text = lexed_.text_of(i);
    const bool wrapper = first == last && lexed_.is_op(i + 1, '(') &&
                         (text == "str" || text == "int" || text == "bool" || text == "len" || text == "tuple" ||
                          text == "float" || text == "any" || text == "all" || text == "isinstance");
    if (!wrapper || i + 2 >= end) break;
  }
  return first == kNoToken ? PyName{} : names_.resolve(first, last);
}

bool PyGuards::is_option(std::uint32_t first, std::uint32_t last, const PyName& name) const {
  if (name.api.substr(0, 10) == "os.environ" || name.api == "os.getenv") return true;
  for (std::uint32_t i = first; i < last && i < first + 8; i += 2) {
    const std::string_view part = lexed_.text_of(i);
    if (std::find(kOptionRoots.begin(), kOptionRoots.end(), part) != kOptionRoots.end()) return true;
  }
  return false;
}

/// What the truth of a name or call says.
PyCondition PyGuards::of_name(const PyName& name, bool called, std::string_view written) const {
  const std::string_view api = name.api;
  const std::string lower = ascii_lower(api == "?" ? written : api);
  const std::string_view last = last_part(lower);
  const bool torch = api.substr(0, 6) == "torch.";
  if (api == "torch.cuda.is_available" || api == "torch.cuda.device_count" || api == "torch.accelerator.is_available") {
    return {Guard::available, Guard::unavailable};
  }
  if (api.substr(0, 18) == "torch.version.cuda") return {Guard::nvidia, Guard::none};
  if (api.substr(0, 14) == "torch.version.") return {Guard::other_platform, Guard::nvidia};
  if (has_any(lower, kNvidiaNames)) return both(Guard::nvidia);
  if (has_any(lower, kTorchVersions)) return both(Guard::torch_version);
  if (last == "is_nccl_available" || last == "get_backend" || last == "is_nccl") return both(Guard::backend_name);
  if (torch && last == "is_available" && api != "torch.distributed.is_available") {
    const bool cuda = api.substr(0, 11) == "torch.cuda." || api.substr(0, 18) == "torch.backends.cud";
    return cuda ? PyCondition{Guard::available, Guard::unavailable} : PyCondition{Guard::other_platform, Guard::none};
  }
  if (std::find(kRanks.begin(), kRanks.end(), last) != kRanks.end()) return both(Guard::rank);
  if (names_other_device(last, facts_)) return {Guard::other_platform, Guard::none};
  if (has_part(last, "cuda") || last == "gpu" || last == "use_gpu" || last == "has_gpu" || last == "no_gpu") {
    return of_cuda_flag(api, last, called);
  }
  if (last == "type_checking") return both(Guard::type_checking);
  if (last == "__name__") return {Guard::main_guard, Guard::none};
  const bool flag = last.substr(0, 4) == "has_" || last.substr(0, 5) == "_has_" || has_part(last, "_available") ||
                    has_part(last, "available_") || has_part(last, "_installed") || last == "find_spec" ||
                    has_part(last, "_imported");
  if (flag) return both(Guard::import_guard);
  return {};
}

PyCondition PyGuards::truth(std::uint32_t begin, std::uint32_t end) {
  std::uint32_t first = kNoToken, last = kNoToken;
  const PyName name = subject(begin, end, first, last);
  if (first == kNoToken) return {};
  PyCondition read;
  const std::string_view method = lexed_.text_of(last);
  if (method == "startswith" && strings_in(last + 1, end, true, read)) return read;
  read = of_name(name, lexed_.is_op(last + 1, '('), method);
  if (is_option(first, last, name)) {
    read.holds |= Guard::option;
    read.fails |= Guard::option;
  }
  return read;
}

/// What it means to be equal to (or among) the strings of [begin, end).
bool PyGuards::strings_in(std::uint32_t begin, std::uint32_t end, bool device_beside, PyCondition& out) const {
  bool some = false, cuda = false, cpu = false;
  int count = 0;
  for (std::uint32_t i = begin; i < end && count < 16; ++i) {
    if (lexed_.tokens[i].kind != PyKind::string) continue;
    std::string value;
    append_string_value(lexed_.text_of(i), value);
    value = ascii_lower(value.substr(0, 40));
    ++count;
    if (value.substr(0, 4) == "cuda" || value == "torch.cuda" || value == "gpu") {
      cuda = some = true;
    } else if (value == "cpu") {
      cpu = some = true;
    } else if (value == "nccl" || value == "gloo" || value == "mpi") {
      out.holds |= Guard::backend_name;
      out.fails |= Guard::backend_name;
      some = true;
    } else if (value == "__main__") {
      out.holds |= Guard::main_guard;
      some = true;
    } else if (has_any(value, kNvidiaCards)) {
      out.holds |= Guard::nvidia;
      some = true;
    } else if (is_other_device(value.substr(0, value.find(':')), facts_) ||
               (device_beside && !value.empty() && value != "meta" && is_ascii_alpha(value[0]) && value.size() < 12 &&
                value.find(' ') == std::string::npos && facts_ != nullptr &&
                facts_->device_words.contains(value))) {
      out.holds |= Guard::other_platform;
      some = true;
    }
  }
  if (cuda) {
    out.holds |= Guard::device_type;
    out.fails |= Guard::not_device_type;
  } else if (cpu) {
    out.holds |= Guard::not_device_type;
    out.fails |= Guard::device_type;
  }
  return some;
}

namespace {

/// How a comparison treats what stands on its left: equal, different, or by order.
enum class Relation { equal, different, order };

}  // namespace

PyCondition PyGuards::comparison(std::uint32_t begin, std::uint32_t op, std::uint32_t end) {
  const PyToken& t = lexed_.tokens[op];
  const PyWord word = annotator_.keyword(op);
  std::uint32_t right = op + 1;
  Relation relation = Relation::equal;
  if (word == PyWord::not_) {
    relation = Relation::different;
    ++right;
  } else if (word == PyWord::is_) {
    if (annotator_.keyword(right) == PyWord::not_) {
      relation = Relation::different;
      ++right;
    }
  } else if (word != PyWord::in_) {
    if (t.op == '!' || (t.op == '<' && t.op2 == '>')) {
      relation = Relation::different;
    } else if (t.op != '=') {
      relation = Relation::order;
    }
  }
  const auto turn = [&](PyCondition c) { return relation == Relation::different ? swapped(c) : c; };
  PyCondition read;
  if (relation != Relation::order && strings_in(begin, end, true, read)) {
    std::uint32_t first = kNoToken, last = kNoToken;
    const PyName name = subject(begin, end, first, last);
    if (first != kNoToken && has(of_name(name, false, lexed_.text_of(last)).holds, Guard::nvidia)) read.holds |= Guard::nvidia;
    if (first != kNoToken && is_option(first, last, name)) {
      read.holds |= Guard::option;
      read.fails |= Guard::option;
    }
    return turn(read);
  }
  read = truth(begin, op);
  if (read.holds == Guard::none && read.fails == Guard::none) read = truth(right, end);
  const std::string_view value = right + 1 == end ? lexed_.text_of(right) : std::string_view{};
  const bool falsy = value == "None" || value == "False" || value == "0";
  if (relation == Relation::order) {
    const bool none_left = t.op == '<' && (value == "1" || value == "0");
    return none_left ? swapped(read) : read;
  }
  if (value == "None" && read.holds == Guard::none) {
    std::uint32_t first = kNoToken, last = kNoToken;
    const PyName name = subject(begin, op, first, last);
    if (first != kNoToken && first == last && name.root == PyName::Root::imported) return both(Guard::import_guard);
  }
  return turn(falsy ? swapped(read) : read);
}

// --- inside a line ---------------------------------------------------------------------------

const PyCondition& PyGuards::of_ternary(std::uint32_t if_op, const PyRegion& region) {
  const auto known = ternaries_.find(if_op);
  if (known != ternaries_.end()) return known->second;
  std::uint32_t end = region.end;
  std::uint32_t next = annotator_.op(if_op).after;
  for (int i = 0; i < 64 && next != kNoToken && annotator_.op(next).word != PyWord::else_; ++i) next = annotator_.op(next).after;
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
    const PyOperator& op = annotator_.op(nearest);
    const PyCondition read = condition(start, op.token, 0);
    guards |= op.word == PyWord::and_ ? read.holds : read.fails;
    nearest = kNoToken;
  };
  bool conditional = false;
  for (int steps = 0; number != kNoToken; number = annotator_.op(number).before) {
    const PyOperator& op = annotator_.op(number);
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
    const PyRegion& region = annotator_.region(token);
    if (region.first_op != kNoToken) {
      guards |= before(mark.op, region.begin);
      guards |= arm_behind(mark.op, region);
      int conditions = 0;
      for (std::uint32_t op = region.first_op; op != kNoToken && conditions < kMaxOperators; op = annotator_.op(op).after, ++conditions) {
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
  if (definition != kNone && lexed_.is_op(lexed_.lines[line].first, '@') &&
      skips_without_accelerator(line, line + 1)) {
    guards |= Guard::test_skip;
  }
  return guards;
}

Guard PyGuards::at(std::uint32_t token) {
  const std::uint32_t line = annotator_.line_of(token);
  Guard guards = of_line(line);
  const std::uint32_t inner = blocks_.inner_node[line];
  if (inner != kNone && !lexed_.lines[line].header &&
      annotator_.statement(token).first != lexed_.lines[line].first) {
    guards |= of_node(inner);
  }
  return guards | in_region(token);
}

}  // namespace accelport
