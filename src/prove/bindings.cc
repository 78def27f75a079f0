#include "prove/bindings.h"

#include <algorithm>
#include <utility>

namespace accelport {
namespace {

constexpr int kMaxDepth = 8;
constexpr std::string_view kTorch = "torch";

bool holds(const std::vector<std::uint32_t>& list, std::uint32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

PythonText::PythonText(std::string_view given) : text(given) {
  lex_python(text, lexed);
  annotator.start(lexed);
  find_blocks(lexed, blocks);
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < lexed.lines.size(); ++i) {
    annotator.need_line(i);
    while (!open.empty() && lexed.lines[open.back()].indent >= lexed.lines[i].indent) open.pop_back();
    parent.push_back(open.empty() ? kNone : open.back());
    depth.push_back(static_cast<std::uint32_t>(open.size()));
    if (lexed.lines[i].header) open.push_back(i);
  }
}

bool PythonText::is_name(std::uint32_t token) const {
  return token < lexed.tokens.size() && lexed.tokens[token].kind == PyKind::name &&
         (lexed.tokens[token].word() == PyWord::none || lexed.tokens[token].word() > PyWord::yield_);
}

bool PythonText::is_variable(std::uint32_t token) const {
  if (!is_name(token) || (token > 0 && lexed.is_op(token - 1, '.'))) return false;
  const PyFrame frame = annotator.mark(token).frame;
  const bool keyword = (frame == PyFrame::call || frame == PyFrame::bases) && lexed.is_op(token + 1, '=') &&
                       (lexed.is_op(token - 1, ',') || lexed.is_op(token - 1, '('));
  return !keyword;
}

bool PythonText::stands_in(std::uint32_t inner, std::uint32_t line) const {
  if (line == kNone) return true;
  for (; inner != kNone; inner = parent[inner])
    if (inner == line) return true;
  return false;
}

std::size_t leading_dots(std::string_view module) { return std::min(module.find_first_not_of('.'), module.size()); }

std::string ImportItem::path() const {
  if (star || module.empty() || module[0] == '.') return {};
  if (from) return module + "." + name;
  return alias.empty() ? module.substr(0, module.find('.')) : module;
}

Bindings::Bindings(const PythonText& source, const HelperTable& table, const HelperCheck& is_helper)
    : source_(source), lexed_(source.lexed), table_(table) {
  read_imports();
  for (std::size_t i = 0; i < imports_.size(); ++i) {
    const ImportItem& item = imports_[i];
    import_at_[item.bound] = i;
    const std::string& bound = item.from ? item.name : item.module;
    const bool named = std::find(table_.names.begin(), table_.names.end(), bound) != table_.names.end();
    if (item.star || !named || (!item.alias.empty() && item.alias != bound)) continue;
    std::string module = item.module;
    if (item.from) module += (module.back() == '.' ? "" : ".") + item.name;
    const HelperModule found = is_helper(module);
    if (!found.is_helper) continue;
    helper_functions_.push_back(found.functions);
    helper_imports_.push_back(item.bound);
    helper_names_.push_back(lexed_.tokens[item.bound].name);
  }
}

/// Reads the dotted path at `i`, leading dots included; gives the token behind it.
std::uint32_t Bindings::read_module(std::uint32_t i, std::string& module) const {
  for (; lexed_.is_op(i, '.') || lexed_.is_op(i, '.', '.'); ++i) module += lexed_.text_of(i);
  while (source_.is_name(i)) {
    module += lexed_.text_of(i++);
    if (!lexed_.is_op(i, '.')) break;
    module += '.';
    ++i;
  }
  return i;
}

std::uint32_t Bindings::read_alias(std::uint32_t i, ImportItem& item) const {
  if (lexed_.tokens[i].word() != PyWord::as_ || !source_.is_name(i + 1)) return i;
  item.alias = lexed_.text_of(i + 1);
  item.bound = i + 1;
  return i + 2;
}

void Bindings::read_import(std::uint32_t statement, std::uint32_t end) {
  for (std::uint32_t i = statement + 1; i < end; ++i) {
    ImportItem item;
    item.statement = statement;
    item.bound = i;
    i = read_alias(read_module(i, item.module), item);
    imports_.push_back(std::move(item));
  }
}

void Bindings::read_from(std::uint32_t statement, std::uint32_t end) {
  std::string module;
  std::uint32_t i = read_module(statement + 1, module) + 1;
  if (lexed_.is_op(i, '(')) ++i;
  for (; i < end && !lexed_.is_op(i, ')'); ++i) {
    ImportItem item;
    item.statement = statement;
    item.bound = i;
    item.from = true;
    item.module = module;
    item.star = lexed_.is_op(i, '*');
    item.name = lexed_.text_of(i);
    i = read_alias(i + 1, item);
    imports_.push_back(std::move(item));
  }
}

void Bindings::read_imports() {
  for (const PyLine& line : lexed_.lines) {
    if (!line.imports) continue;
    for (std::uint32_t i = line.first; i < line.last; ++i) {
      const PyWord word = lexed_.tokens[i].word();
      if (source_.annotator.statement(i).first != i || (word != PyWord::import_ && word != PyWord::from_)) continue;
      std::uint32_t end = i;
      while (end < line.last && !lexed_.is_op(end, ';')) ++end;
      word == PyWord::import_ ? read_import(i, end) : read_from(i, end);
    }
  }
}

bool Bindings::is_helper_import(const ImportItem& item) const { return holds(helper_imports_, item.bound); }

bool Bindings::helper_has(std::string_view function) const {
  return std::all_of(helper_functions_.begin(), helper_functions_.end(), [&](const std::set<std::string>* functions) {
    return functions == nullptr ? table_.find(function) != nullptr : functions->count(std::string(function)) != 0;
  });
}

bool Bindings::is_helper(std::uint32_t token) const {
  return source_.is_variable(token) && lexed_.is_op(token + 1, '.') && holds(helper_names_, lexed_.tokens[token].name);
}

std::uint32_t Bindings::scope_of(std::uint32_t token) const {
  return source_.blocks.scope_of(token, source_.annotator.line_of(token));
}

/// What `target = …` gives its name, if the value is a chain of names that leads into torch.cuda.
std::string Bindings::assigned_path(std::uint32_t target) {
  if (source_.annotator.statement(target).first != target || !lexed_.is_op(target + 1, '=')) return {};
  const Chain chain = chain_at(target + 2);
  const bool whole = lexed_.tokens[chain.behind].kind == PyKind::newline || lexed_.is_op(chain.behind, ';');
  const bool cuda = chain.path == "torch.cuda" || chain.path.starts_with("torch.cuda.");
  return whole && cuda ? chain.path : std::string();
}

void Bindings::add_occurrence(std::uint32_t token, Known& known) {
  const PyStatement statement = source_.annotator.statement(token);
  if (statement.word == PyWord::import_ || statement.word == PyWord::from_) {
    if (const auto found = import_at_.find(token); found != import_at_.end())
      known.events.push_back({scope_of(token), token, imports_[found->second].path()});
    return;
  }
  if (statement.word == PyWord::global_ || statement.word == PyWord::nonlocal_ || statement.word == PyWord::del_) {
    known.poisoned = known.poisoned || source_.is_variable(token);
    return;
  }
  if (!source_.is_variable(token)) return;
  const PyWord before = token > 0 ? lexed_.tokens[token - 1].word() : PyWord::none;
  const bool plain = !lexed_.is_op(token + 1, '.') && !lexed_.is_op(token + 1, '[');
  if (before == PyWord::def_ || before == PyWord::class_ || (before == PyWord::as_ && plain) ||
      lexed_.is_op(token + 1, ':', '=')) {
    known.events.push_back({scope_of(token), token, {}});
    return;
  }
  const PyMark& mark = source_.annotator.mark(token);
  if (mark.first != token || mark.last != token || !plain) return;
  switch (source_.annotator.place(token, token).context) {
    case Context::parameter: {
      const std::uint32_t inner = source_.blocks.opened_scope[source_.annotator.line_of(token)];
      const bool lambda = (mark.flags & PyMark::lambda_parameter) != 0;
      known.events.push_back({lambda || inner == kNone ? scope_of(token) : inner, token, {}});
      return;
    }
    case Context::target:
    case Context::pattern:
      known.events.push_back({scope_of(token), token, assigned_path(token)});
      return;
    default:
      return;
  }
}

const Bindings::Known& Bindings::know(std::uint32_t name) {
  const auto [found, fresh] = known_.try_emplace(name);
  if (!fresh) return found->second;
  Known known;
  for (std::uint32_t t = lexed_.names.first(name); t != kNoToken; t = lexed_.tokens[t].next) add_occurrence(t, known);
  known.busy = false;
  return known_[name] = std::move(known);
}

/// The event that gives the variable its meaning. `certain` is false if the scope has others of another meaning.
const Bindings::Event* Bindings::find_event(std::uint32_t token, bool& certain) {
  const Known& known = know(lexed_.tokens[token].name);
  certain = !known.poisoned && !known.busy;
  bool own = true;
  // A parameter stands in front of the scope that it belongs to.
  const auto itself =
      std::find_if(known.events.begin(), known.events.end(), [&](const Event& e) { return e.token == token; });
  for (std::uint32_t scope = itself != known.events.end() ? itself->scope : scope_of(token); scope != kNone;
       scope = source_.blocks.scopes[scope].parent, own = false) {
    if (!own && source_.blocks.scopes[scope].kind == PyScope::Kind::class_body) continue;
    const Event* first = nullptr;
    for (const Event& event : known.events) {
      if (event.scope != scope) continue;
      if (first == nullptr) first = &event;
      certain = certain && event.path == first->path;
    }
    if (first != nullptr) return first;
  }
  return nullptr;
}

std::string Bindings::path_of(std::uint32_t token) {
  if (depth_ >= kMaxDepth || !source_.is_variable(token)) return {};
  ++depth_;
  bool certain = false;
  const Event* event = find_event(token, certain);
  --depth_;
  if (!certain) return {};
  // A name that nothing binds comes with a star import, or from the cell before.
  if (event == nullptr) return lexed_.text_of(token) == kTorch ? std::string(kTorch) : std::string();
  const bool torch = event->path == kTorch || event->path.starts_with("torch.");
  return torch ? event->path : std::string();
}

bool Bindings::binds(std::uint32_t token) {
  const Known& known = know(lexed_.tokens[token].name);
  return std::any_of(known.events.begin(), known.events.end(), [&](const Event& e) { return e.token == token; });
}

bool Bindings::bound_before(std::uint32_t token) {
  const Known& known = know(lexed_.tokens[token].name);
  return known.events.empty() ||
         std::any_of(known.events.begin(), known.events.end(), [&](const Event& e) { return e.token < token; });
}

bool Bindings::has_attributes(std::uint32_t token) const {
  for (std::uint32_t t = lexed_.names.first(lexed_.tokens[token].name); t != kNoToken; t = lexed_.tokens[t].next)
    if (source_.is_variable(t) && lexed_.is_op(t + 1, '.')) return true;
  return false;
}

bool Bindings::is_callable(std::string_view path) const {
  return std::any_of(table_.functions.begin(), table_.functions.end(), [&](const HelperFunction& function) {
    return function.kind == HelperKind::callable && function.stands_for.front() == path;
  });
}

bool Bindings::is_local(std::uint32_t token) {
  bool certain = false;
  const Event* event = find_event(token, certain);
  return event != nullptr && source_.blocks.scopes[event->scope].kind == PyScope::Kind::function;
}

Bindings::Chain Bindings::chain_at(std::uint32_t token) {
  Chain chain;
  chain.behind = token;
  if (!source_.is_variable(token)) return chain;
  std::uint32_t i = token + 1;
  if (is_helper(token)) {
    const HelperFunction* function = table_.find(lexed_.text_of(token + 2));
    if (function != nullptr && function->kind == HelperKind::callable && !lexed_.is_op(token + 3, '.'))
      return {function->stands_for.front(), token + 3, true};
    if (function == nullptr || function->kind != HelperKind::module || !lexed_.is_op(token + 3, '(') ||
        !lexed_.is_op(token + 4, ')'))
      return chain;
    chain.path = function->stands_for.front();
    chain.helper = true;
    i = token + 5;
  } else {
    chain.path = path_of(token);
    // An alias may be one of the helper's functions, which have no attributes of the old ones.
    if (chain.path.empty() || (lexed_.is_op(i, '.') && is_callable(chain.path))) return {{}, token, false};
  }
  for (; lexed_.is_op(i, '.') && source_.is_name(i + 1); i += 2) {
    const std::string_view part = lexed_.text_of(i + 1);
    const bool moves = lexed_.is_op(i + 2, '(') && (part == "to" || (part == "cuda" && chain.path != kTorch));
    if (moves) break;
    chain.path += '.';
    chain.path += part;
  }
  chain.behind = i;
  return chain;
}

}  // namespace accelport
