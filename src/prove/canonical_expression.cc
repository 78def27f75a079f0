// Expressions: names, the helper's functions, calls with several spellings.

#include <algorithm>
#include <utility>

#include "prove/canonicaliser.h"
#include "syntax/python_strings.h"

namespace accelport {
namespace {

constexpr int kMaxNesting = 60;
constexpr std::string_view kDevice = "device";
constexpr std::string_view kNonBlocking = "non_blocking";

std::string string_token(std::string_view value) { return std::string(1, kStringMark) + 's' + std::string(value); }

/// The keyword that newer calls have for the device type, which comes first.
bool names_device(std::string_view name) { return name == "device_type" || name == kDevice; }

}  // namespace

void Canonicaliser::emit(std::uint32_t begin, std::uint32_t end, Tokens& out) {
  if (nesting_ >= kMaxNesting) {
    problem(begin, "nested too deep to compare");
    return out.push_back(raw(begin, end));
  }
  ++nesting_;
  for (std::uint32_t i = begin; i < end;) {
    const PyToken& token = lexed_.tokens[i];
    if (token.kind == PyKind::string || token.kind == PyKind::fstring_begin) {
      i = emit_string(i, end, out);
    } else if (source_.is_variable(i)) {
      i = emit_name(i, out);
    } else if (token.kind == PyKind::fstring_text) {
      out.push_back(kFieldText + escaped_value(lexed_.text_of(i++)));
    } else if (const auto behind = lexed_.is_op(i, '.')   ? emit_move(i, out)
                                   : lexed_.is_op(i, '(') ? emit_sum(i, out)
                                                          : std::nullopt) {
      i = *behind;
    } else {
      out.emplace_back(lexed_.text_of(i++));
    }
  }
  --nesting_;
}

/// No form of the helper's means the same in a pattern or an annotation: there the old text was never evaluated as an
/// ordinary expression.
bool Canonicaliser::may_substitute(std::uint32_t i) const {
  if (annotator_.statement(i).word == PyWord::case_) return false;
  for (std::uint32_t token = i; token != kNoToken; token = annotator_.mark(token).opener)
    if ((annotator_.mark(token).flags & (PyMark::annotation | PyMark::returns)) != 0) return false;
  return true;
}

/// Whether an attribute is set or deleted: the helper's functions are objects of their own.
bool Canonicaliser::is_target(std::uint32_t i, std::uint32_t behind) const {
  if (lexed_.is_op(behind, '(')) return false;
  const PyStatement statement = annotator_.statement(i);
  if (statement.word == PyWord::del_ || (statement.assign != kNoToken && i < statement.assign)) return true;
  if (i > 0 && lexed_.tokens[i - 1].word() == PyWord::as_) return true;
  return (annotator_.mark(i).flags & PyMark::for_target) != 0;
}

void Canonicaliser::note_use(std::uint32_t i) { check_script(i); }

/// TorchScript compiles a function from its source and can neither call the helper nor build its strings.
void Canonicaliser::check_script(std::uint32_t i) {
  const PyBlocks& blocks = source_.blocks;
  for (std::uint32_t scope = blocks.scope_of(i, annotator_.line_of(i)); scope != kNone;
       scope = blocks.scopes[scope].parent) {
    const std::uint32_t def = blocks.scopes[scope].line;
    if (def == kNone || blocks.decorated_by[def] == kNone) continue;
    for (std::uint32_t line = blocks.decorated_by[def]; line < def; ++line)
      for (std::uint32_t t = lexed_.lines[line].first; t < lexed_.lines[line].last; ++t) {
        const std::string_view word = lexed_.text_of(t);
        if (word == "script" || word == "script_method" || word == "script_if_tracing")
          return problem(i, "the helper is used in a function that TorchScript compiles");
      }
  }
}

std::string Canonicaliser::spelling(std::string path) const {
  for (const HelperFunction& function : table_.functions) {
    const auto& names = function.stands_for;
    if (function.kind == HelperKind::value && std::find(names.begin(), names.end(), path) != names.end())
      return names.front();
  }
  for (const auto& names : table_.same)
    if (std::find(names.begin(), names.end(), path) != names.end()) return names.front();
  return path;
}

/// Appends the chain `path`, and the call behind it if that has several spellings.
std::uint32_t Canonicaliser::emit_path(std::string path, std::uint32_t behind, Tokens& out) {
  path = spelling(std::move(path));
  if (lexed_.is_op(behind, '(')) {
    if (const auto end = emit_call(path, behind, out)) return *end;
    if (const auto end = emit_defaulted(path, behind, out)) return *end;
  }
  std::size_t begin = 0;
  for (std::size_t dot = path.find('.'); begin != std::string::npos; dot = path.find('.', begin)) {
    if (begin != 0) out.emplace_back(".");
    out.push_back((begin == 0 ? std::string(1, kTorchMark) : std::string()) + path.substr(begin, dot - begin));
    begin = dot == std::string::npos ? dot : dot + 1;
  }
  return behind;
}

std::uint32_t Canonicaliser::emit_name(std::uint32_t i, Tokens& out) {
  if (!bindings_.binds(i)) {
    const PyWord word = annotator_.statement(i).word;
    const bool declared = word == PyWord::global_ || word == PyWord::nonlocal_ || word == PyWord::del_;
    if (bindings_.is_helper(i)) {
      if (const auto behind = emit_helper(i, out)) return *behind;
    } else if (const Bindings::Chain chain = bindings_.chain_at(i); !chain.path.empty() && !declared) {
      if (const auto behind = emit_neutral(chain.path, i, chain.behind, out)) return *behind;
      return emit_path(chain.path, chain.behind, out);
    }
  }
  out.emplace_back(lexed_.text_of(i));
  return i + 1;
}

/// The value of a helper's function that stands for a string.
std::optional<std::string> Canonicaliser::literal(std::uint32_t i, std::uint32_t& behind) const {
  if (!bindings_.is_helper(i)) return std::nullopt;
  const HelperFunction* function = table_.find(lexed_.text_of(i + 2));
  if (function == nullptr || !lexed_.is_op(i + 3, '(')) return std::nullopt;
  if (function->kind == HelperKind::literal && lexed_.is_op(i + 4, ')')) {
    behind = i + 5;
    return function->stands_for.front();
  }
  if (function->kind != HelperKind::variable || !lexed_.is_op(i + 5, ')')) return std::nullopt;
  const PyToken& name = lexed_.tokens[i + 4];
  if (name.kind != PyKind::string || lexed_.text[name.end - 1] == lexed_.text[name.begin + 1]) return std::nullopt;
  if (lexed_.text[name.begin] != '"' && lexed_.text[name.begin] != '\'') return std::nullopt;
  behind = i + 6;
  std::string value = function->stands_for.front();
  append_string_value(lexed_.text_of(i + 4), value);
  return value;
}

std::optional<std::uint32_t> Canonicaliser::emit_helper(std::uint32_t i, Tokens& out) {
  if (!may_substitute(i)) return std::nullopt;
  const HelperFunction* function = table_.find(lexed_.text_of(i + 2));
  if (function == nullptr) return std::nullopt;
  std::uint32_t behind = 0;
  if (const auto value = literal(i, behind)) {
    note_use(i);
    out.push_back(string_token(escaped_value(*value)));
    return behind;
  }
  switch (function->kind) {
    case HelperKind::callable:
      behind = i + 3;
      if (lexed_.is_op(behind, '.') || is_target(i, behind)) return std::nullopt;
      note_use(i);
      return emit_path(function->stands_for.front(), behind, out);
    case HelperKind::value:
      if (!has_call(i + 3)) return std::nullopt;
      note_use(i);
      return emit_path(function->stands_for.front(), i + 5, out);
    case HelperKind::module: {
      const Bindings::Chain chain = bindings_.chain_at(i);
      if (chain.path.empty()) return std::nullopt;
      note_use(i);
      return emit_path(chain.path, chain.behind, out);
    }
    case HelperKind::predicate:
      return emit_predicate(i, *function, out);
    case HelperKind::identity:
      return emit_identity(i, out);
    default:
      return std::nullopt;
  }
}

/// `is_accelerator(E)` is `E.is_cuda`.
std::optional<std::uint32_t> Canonicaliser::emit_predicate(std::uint32_t i, const HelperFunction& function,
                                                           Tokens& out) {
  const auto list = arguments(i + 3);
  if (!list || list->size() != 1 || list->front().star || !list->front().name.empty()) return std::nullopt;
  note_use(i);
  const Argument& argument = list->front();
  const bool primary = is_primary(argument.begin, argument.end);
  if (!primary) out.emplace_back("(");
  emit(argument.begin, argument.end, out);
  if (!primary) out.emplace_back(")");
  out.emplace_back(".");
  out.push_back(function.stands_for.front());
  return annotator_.mark(i + 3).mate + 1;
}

/// `configured_device(E)` is E where it is a whole argument or a whole value.
std::optional<std::uint32_t> Canonicaliser::emit_identity(std::uint32_t i, Tokens& out) {
  const auto list = arguments(i + 3);
  if (!list || list->size() != 1 || list->front().star || !list->front().name.empty() || i == 0) return std::nullopt;
  const Argument& argument = list->front();
  for (std::uint32_t t = argument.begin; t < argument.end; ++t) {
    const std::uint32_t mate = annotator_.mark(t).mate;
    if (mate != kNoToken && mate > t && mate < argument.end) {
      t = mate;
    } else if (lexed_.text_of(t) == "for" || lexed_.text_of(t) == "yield" || lexed_.is_op(t, ':', '=')) {
      return std::nullopt;
    }
  }
  const std::uint32_t behind = annotator_.mark(i + 3).mate + 1;
  const bool begins = lexed_.is_op(i - 1, '(') || lexed_.is_op(i - 1, ',') || lexed_.is_op(i - 1, '=');
  const bool ends = lexed_.is_op(behind, ')') || lexed_.is_op(behind, ',');
  const bool bare = (begins && ends) || is_primary(argument.begin, argument.end);
  note_use(i);
  if (!bare) out.emplace_back("(");
  emit(argument.begin, argument.end, out);
  if (!bare) out.emplace_back(")");
  return behind;
}

/// Whether the argument is the helper's word for its default.
bool Canonicaliser::is_default(const Argument& argument, const HelperFunction& function) const {
  const std::uint32_t use = argument.begin;
  return !argument.name.empty() && bindings_.is_helper(use) && lexed_.text_of(use + 2) == function.name &&
         has_call(use + 3) && use + 5 == argument.end;
}

/// A call with a keyword that is given its default, and the same call without it.
std::optional<std::uint32_t> Canonicaliser::emit_defaulted(const std::string& path, std::uint32_t open, Tokens& out) {
  for (const HelperFunction& function : table_.functions) {
    if (function.kind != HelperKind::keyword) continue;
    for (const std::string& call : function.stands_for) {
      const std::size_t bracket = call.find('(');
      if (std::string_view(call).substr(0, bracket) != path) continue;
      auto list = arguments(open);
      if (!list || list->size() < 2) return std::nullopt;
      const Argument& last = list->back();
      if (last.name != std::string_view(call).substr(bracket + 1, call.size() - bracket - 2)) return std::nullopt;
      if (!is_default(last, function)) return std::nullopt;
      const bool plain = std::none_of(list->begin(), list->end(), [](const Argument& a) { return a.star; });
      const bool second = (*list)[1].name.empty();
      const bool twice =
          std::count_if(list->begin(), list->end(), [&](const auto& a) { return a.name == last.name; }) > 1;
      if (!plain || second || twice) return std::nullopt;
      note_use(last.begin);
      const std::uint32_t behind = annotator_.mark(open).mate + 1;
      list->pop_back();
      emit_path(path, open - 1, out);
      emit_arguments(*list, {}, out);
      if (lexed_.is_op(behind - 2, ',')) out.insert(out.end() - 1, ",");
      return behind;
    }
  }
  return std::nullopt;
}

/// What torch.accelerator answers with a card present: the device type, and calls that torch.cuda has too.
std::optional<std::uint32_t> Canonicaliser::emit_neutral(const std::string& path, std::uint32_t i, std::uint32_t behind,
                                                         Tokens& out) {
  const NeutralTable& table = table_.neutral;
  if (!lexed_.is_op(behind, '(') || !may_substitute(i)) return std::nullopt;
  const std::size_t call = table.device_type.find("().");
  if (call != std::string::npos && path == std::string_view(table.device_type).substr(0, call)) {
    const bool whole = has_call(behind) && lexed_.is_op(behind + 2, '.') &&
                       lexed_.text_of(behind + 3) == std::string_view(table.device_type).substr(call + 3);
    if (!whole || is_target(i, behind + 4)) return std::nullopt;
    check_script(i);
    out.push_back(string_token("cuda"));
    return behind + 4;
  }
  const NeutralFunction* function = table.find_neutral(path);
  if (function == nullptr) return std::nullopt;
  const auto list = arguments(behind);
  if (!list || list->size() > static_cast<std::size_t>(function->arguments)) return std::nullopt;
  for (const Argument& argument : *list)
    if (argument.star || !argument.name.empty()) return std::nullopt;
  return emit_path(function->cuda, behind, out);
}

/// A name, literal or bracket with attributes, calls and subscripts behind it.
bool Canonicaliser::is_primary(std::uint32_t begin, std::uint32_t end) const {
  bool atom = true;  // an atom is due
  for (std::uint32_t i = begin; i < end; ++i) {
    const PyToken& token = lexed_.tokens[i];
    const bool open =
        token.kind == PyKind::op && token.op2 == 0 && (token.op == '(' || token.op == '[' || token.op == '{');
    if (open || token.kind == PyKind::fstring_begin) {
      if (!atom && (token.op == '{' || token.kind == PyKind::fstring_begin)) return false;
      i = annotator_.mark(i).mate;
      if (i == kNoToken || i >= end) return false;
      atom = false;
    } else if (lexed_.is_op(i, '.')) {
      if (atom || !source_.is_name(i + 1)) return false;
      ++i;
    } else {
      if (!atom || (!source_.is_name(i) && token.kind != PyKind::string)) return false;
      atom = false;
    }
  }
  return !atom;
}

std::optional<std::vector<Canonicaliser::Argument>> Canonicaliser::arguments(std::uint32_t open) const {
  if (!lexed_.is_op(open, '(') || annotator_.mark(open).mate == kNoToken) return std::nullopt;
  const std::uint32_t close = annotator_.mark(open).mate;
  std::vector<Argument> list;
  Argument argument;
  argument.begin = open + 1;
  const auto finish = [&](std::uint32_t end) {
    argument.end = end;
    const std::uint32_t begin = argument.begin;
    argument.star = lexed_.is_op(begin, '*') || lexed_.is_op(begin, '*', '*');
    if (source_.is_name(begin) || lexed_.tokens[begin].kind == PyKind::name) {
      if (lexed_.is_op(begin + 1, '=')) {
        argument.name = lexed_.text_of(begin);
        argument.begin += 2;
      }
    }
    if (argument.begin < end) list.push_back(argument);
    argument = {};
    argument.begin = end + 1;
  };
  for (std::uint32_t i = open + 1; i < close; ++i) {
    const std::uint32_t mate = annotator_.mark(i).mate;
    const PyToken& token = lexed_.tokens[i];
    const bool bracket =
        token.kind == PyKind::op && token.op2 == 0 && std::string_view("([{").find(token.op) != std::string_view::npos;
    if (bracket || token.kind == PyKind::fstring_begin) {
      if (mate == kNoToken || mate >= close) return std::nullopt;
      i = mate;
    } else if (lexed_.is_op(i, ',') && (annotator_.mark(i).flags & PyMark::lambda_parameter) == 0) {
      finish(i);
    }
  }
  finish(close);
  return list;
}

void Canonicaliser::emit_arguments(const std::vector<Argument>& arguments, std::string_view first, Tokens& out) {
  out.emplace_back("(");
  if (!first.empty()) out.emplace_back(first);
  bool comma = !first.empty();
  for (const Argument& argument : arguments) {
    if (comma) out.emplace_back(",");
    comma = true;
    if (!argument.name.empty()) {
      out.push_back(argument.name);
      out.emplace_back("=");
    }
    emit(argument.begin, argument.end, out);
  }
  out.emplace_back(")");
}

/// `.cuda(i, b)` and `.to(accelerator_device(i), non_blocking=b)`, at the dot.
std::optional<std::uint32_t> Canonicaliser::emit_move(std::uint32_t dot, Tokens& out) {
  const std::string_view name = lexed_.text_of(dot + 1);
  if ((name != "cuda" && name != "to") || !lexed_.is_op(dot + 2, '(')) return std::nullopt;
  auto list = arguments(dot + 2);
  if (!list) return std::nullopt;
  for (const Argument& argument : *list)
    if (argument.star) return std::nullopt;
  const std::uint32_t behind = annotator_.mark(dot + 2).mate + 1;
  if (name == "cuda") {
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (!(*list)[i].name.empty()) break;
      if (i > 1) return std::nullopt;
      (*list)[i].name = i == 0 ? kDevice : kNonBlocking;
    }
  } else {
    if (list->empty()) return std::nullopt;
    Argument& device = list->front();
    const std::uint32_t use = device.begin;
    if (!bindings_.is_helper(use) || !may_substitute(use)) return std::nullopt;
    const HelperFunction* function = table_.find(lexed_.text_of(use + 2));
    const bool whole = function != nullptr && function->kind == HelperKind::device && lexed_.is_op(use + 3, '(') &&
                       annotator_.mark(use + 3).mate + 1 == device.end;
    const auto inner = whole ? arguments(use + 3) : std::nullopt;
    if (!inner || inner->size() > 1 || (!device.name.empty() && device.name != kDevice)) return std::nullopt;
    for (std::size_t i = 1; i < list->size(); ++i)
      if ((*list)[i].name.empty()) return std::nullopt;
    note_use(use);
    if (inner->empty()) {
      list->erase(list->begin());
    } else {
      if (inner->front().star || (!inner->front().name.empty() && inner->front().name != "index")) return std::nullopt;
      device = inner->front();
      device.name = kDevice;
    }
  }
  out.emplace_back(".");
  out.emplace_back("cuda");
  emit_arguments(*list, {}, out);
  return behind;
}

/// A call that has a newer spelling, in either of them.
std::optional<std::uint32_t> Canonicaliser::emit_call(const std::string& path, std::uint32_t open, Tokens& out) {
  for (const HelperCall& call : table_.calls) {
    const std::string newer = spelling(call.new_name);
    const bool old = path == call.old_name;
    if (!old && path != newer) continue;
    auto list = arguments(open);
    if (!list || std::any_of(list->begin(), list->end(), [](const Argument& a) { return a.star; })) return std::nullopt;
    const std::uint32_t behind = annotator_.mark(open).mate + 1;
    if (old) {
      for (std::size_t i = 0; i < list->size() && (*list)[i].name.empty(); ++i) {
        if (i >= call.parameters.size()) return std::nullopt;
        (*list)[i].name = call.parameters[i];
      }
    } else {
      if (list->empty()) return std::nullopt;
      if (names_device(list->front().name)) list->front().name.clear();
    }
    emit_path(newer, open - 1, out);
    emit_arguments(*list, old ? string_token("cuda") : std::string(), out);
    return behind;
  }
  return std::nullopt;
}

}  // namespace accelport
