// PyGuards' reading of conditions.

#include "syntax/python_guards.h"

#include <algorithm>
#include <array>

#include "syntax/device_words.h"
#include "syntax/python_strings.h"

namespace accelport {
namespace {

constexpr int kMaxNesting = 8;  // of parentheses in a condition

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

constexpr std::array<std::string_view, 16> kNvidiaNames = {"get_device_capability",
                                                           "get_device_properties",
                                                           "get_device_name",
                                                           "get_arch_list",
                                                           "nvml",
                                                           "nvidia",
                                                           "hopper",
                                                           "ampere",
                                                           "blackwell",
                                                           "turing",
                                                           "volta",
                                                           "compute_capability",
                                                           "capability",
                                                           "sm90",
                                                           "sm_90",
                                                           "sm80"};
constexpr std::array<std::string_view, 12> kNvidiaCards = {"nvidia", "h100",  "h200",    "a100", "v100",   "b200",
                                                           "rtx",    "tesla", "geforce", "sm_",  "hopper", "ampere"};
/// The module that a port writes, by its possible names: its questions mean what they stand for.
constexpr std::array<std::string_view, 2> kHelperModules = {"accelerator.", "accelport_device."};
constexpr std::array<std::string_view, 6> kTorchVersions = {"torch.__version__", "torch_version", "version.parse",
                                                            "looseversion",      "torch_major",   "pytorch_version"};
constexpr std::array<std::string_view, 10> kRanks = {
    "rank",         "local_rank", "global_rank", "get_rank",  "is_main_process", "is_local_main_process",
    "is_rank_zero", "is_master",  "is_main",     "world_rank"};
constexpr std::array<std::string_view, 13> kOptionRoots = {"args",     "opts",  "opt",      "cfg",     "config",
                                                           "conf",     "FLAGS", "params",   "hparams", "options",
                                                           "settings", "flags", "arguments"};

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
  if (last == "is_cuda_tensor" || (called && last == "is_cuda_device"))
    return {Guard::device_type, Guard::not_device_type};
  static_cast<void>(api);
  return {Guard::available, Guard::unavailable};
}

/// How a comparison treats what stands on its left: equal, different, or by order.
enum class Relation { equal, different, order };

}  // namespace

bool is_option_root(std::string_view name) {
  return std::find(kOptionRoots.begin(), kOptionRoots.end(), name) != kOptionRoots.end();
}

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
    if (is_option_root(lexed_.text_of(i))) return true;
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
  const std::string_view asked = std::string_view(lower).substr(0, lower.size() - last.size());
  const bool helper = std::any_of(kHelperModules.begin(), kHelperModules.end(),
                                  [&](std::string_view module) { return asked.ends_with(module); });
  if (helper && (last == "is_available" || last == "device_count")) return {Guard::available, Guard::unavailable};
  if (helper && last == "is_accelerator") return {Guard::device_type, Guard::not_device_type};
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
  // A library's own switch: `is_deepspeed_zero3_enabled()`, `plugin.zero_stage`, `deepspeed_plugin is None`.
  if (has_part(last, "deepspeed") || has_part(last, "_plugin") || has_part(last, "zero_stage"))
    return both(Guard::option);
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
  // `version.parse(torch.__version__)`: a function of the file's own tells less than what it is given.
  for (std::uint32_t i = last + 1; i < end && i < last + 16 && read.holds == Guard::none && read.fails == Guard::none;
       ++i) {
    if (!annotator_.is_plain_name(i) || annotator_.mark(i).first != i) continue;
    const PyCondition inner = of_name(names_.resolve(i, annotator_.mark(i).last), false, {});
    if (has(inner.holds, Guard::torch_version | Guard::nvidia)) read = inner;
  }
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
    std::string value;
    if (lexed_.tokens[i].kind == PyKind::string) {
      append_string_value(lexed_.text_of(i), value);
    } else if (lexed_.text_of(i) == "accelerator_type" && lexed_.is_op(i + 1, '(')) {
      value = "cuda";
    } else if (lexed_.text_of(i) == "distributed_backend" && lexed_.is_op(i + 1, '(')) {
      value = "nccl";
    } else {
      continue;
    }
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
                value.find(' ') == std::string::npos && facts_ != nullptr && facts_->device_words.contains(value))) {
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
    if (first != kNoToken && has(of_name(name, false, lexed_.text_of(last)).holds, Guard::nvidia))
      read.holds |= Guard::nvidia;
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

}  // namespace accelport
