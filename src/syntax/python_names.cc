#include "syntax/python_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "syntax/python_strings.h"

namespace accelport {
namespace {

/// Aliases of aliases are followed this far.
constexpr int kMaxDepth = 16;
/// Longer chains are cut: no rule names more parts.
constexpr int kMaxParts = 32;

/// Names that everybody uses for one module, so that text without its imports (cells, documents) can be read.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kConventions = {{
    {"torch", "torch"},
    {"os", "os"},
    {"sys", "sys"},
    {"subprocess", "subprocess"},
    {"importlib", "importlib"},
    {"pytest", "pytest"},
    {"unittest", "unittest"},
    {"nn", "torch.nn"},
    {"dist", "torch.distributed"},
    {"pynvml", "pynvml"},
    {"cupy", "cupy"},
    {"triton", "triton"},
}};

/// Names of torch.cuda that its star import brings and that hardly mean anything else.
constexpr std::array<std::string_view, 21> kStarNames = {"Event",
                                                         "Stream",
                                                         "StreamContext",
                                                         "current_device",
                                                         "current_stream",
                                                         "default_stream",
                                                         "device_count",
                                                         "empty_cache",
                                                         "get_device_capability",
                                                         "get_device_name",
                                                         "get_device_properties",
                                                         "ipc_collect",
                                                         "is_available",
                                                         "manual_seed_all",
                                                         "max_memory_allocated",
                                                         "mem_get_info",
                                                         "memory_allocated",
                                                         "memory_reserved",
                                                         "reset_peak_memory_stats",
                                                         "set_device",
                                                         "synchronize"};

}  // namespace

PyNames::PyNames(PyAnnotator& annotator, const PyBlocks& blocks, const ReadInput& input)
    : annotator_(annotator), lexed_(annotator.lexed()), blocks_(blocks), input_(input) {
  known_.resize(lexed_.names.size());
  bindings_.emplace_back();  // the ordinary value
  read_imports();
}

std::uint32_t PyNames::new_binding(Binding binding) {
  bindings_.push_back(std::move(binding));
  return static_cast<std::uint32_t>(bindings_.size() - 1);
}

/// A cheap look at the neighbours: most occurrences of a name only use it.
bool PyNames::cannot_bind(std::uint32_t token) const {
  const PyToken& next = lexed_.tokens[token + 1];
  if (token == 0) return next.kind == PyKind::op && (next.op == '.' || next.op == '(' || next.op == '[');
  if (lexed_.is_op(token - 1, '.')) return true;
  if (next.kind != PyKind::op || (next.op != '.' && next.op != '(' && next.op != '[')) return false;
  switch (lexed_.tokens[token - 1].word()) {
    case PyWord::def_:
    case PyWord::class_:
    case PyWord::import_:
      return false;
    default:
      return !lexed_.is_op(token - 1, ',') || next.op != '.';
  }
}

void PyNames::add_event(std::uint32_t token, std::vector<Event>& events, std::vector<Event>& locals) {
  if (cannot_bind(token)) return;
  const std::uint32_t line = annotator_.line_of(token);
  const std::uint32_t scope = blocks_.scope_of(token, line);
  const std::uint32_t node = blocks_.node_of_line[line];
  if (lexed_.lines[line].imports) {
    if (const Import* import = import_at(token); import != nullptr) {
      if (import->bound != token) return;
      const bool own = starts_own(import->path);
      events.push_back({scope, token, node,
                        new_binding({own ? Binding::Kind::own : Binding::Kind::imported, import->has_hit && !own, false,
                                     import->path.substr(0, import->bound_size)})});
      return;
    }
  }
  const PyWord before = token > 0 ? lexed_.tokens[token - 1].word() : PyWord::none;
  if (before == PyWord::def_ || before == PyWord::class_) {
    std::string path = "own.";
    const PyScope& outer = blocks_.scopes[scope];
    if (outer.kind == PyScope::Kind::class_body && outer.name != kNone) {
      path += std::string(lexed_.text_of(outer.name)) + ".";
    }
    path += lexed_.text_of(token);
    events.push_back({scope, token, node, new_binding({Binding::Kind::own, false, false, std::move(path)})});
    return;
  }
  annotator_.need_line(line);
  const PyMark& mark = annotator_.mark(token);
  if (mark.first == token && mark.last == token) add_bound(token, line, events, locals);
}

void PyNames::add_bound(std::uint32_t token, std::uint32_t line, std::vector<Event>& events,
                        std::vector<Event>& locals) {
  const PyMark& mark = annotator_.mark(token);
  const PyPlace place = annotator_.place(token, token);
  const std::uint32_t scope = blocks_.scope_of(token, line);
  const std::uint32_t node = blocks_.node_of_line[line];
  const bool lambda = (mark.flags & PyMark::lambda_parameter) != 0;
  const bool comprehension = (mark.flags & PyMark::comprehension) != 0;
  switch (place.context) {
    case Context::parameter:
      if (!lambda) {
        const std::uint32_t inner = blocks_.opened_scope[line];
        if (inner != kNone) events.push_back({inner, token, node, 0});
        return;
      }
      break;
    case Context::target:
      if (!comprehension) {
        const bool simple = mark.frame == PyFrame::top && place.begin == token;
        events.push_back({scope, token, node, simple ? assigned_binding(token) : 0});
        return;
      }
      break;
    case Context::pattern:
      events.push_back({scope, token, node, 0});
      return;
    default:
      return;
  }
  std::uint32_t from = lexed_.lines[line].first, until = lexed_.lines[line].last;
  if (mark.opener != kNoToken) {
    from = mark.opener;
    if (annotator_.mark(mark.opener).mate != kNoToken) until = annotator_.mark(mark.opener).mate;
  }
  locals.push_back({scope, from, node, 0, until});
}

/// What `target = …` binds: a module under another name, or an ordinary value.
std::uint32_t PyNames::assigned_binding(std::uint32_t target) {
  const std::uint32_t value = target + 2;
  if (!lexed_.is_op(target + 1, '=') || !annotator_.is_plain_name(value)) return 0;
  const std::uint32_t last = annotator_.mark(value).last;
  const PyToken& behind = lexed_.tokens[last + 1];
  Binding binding;
  binding.kind = Binding::Kind::imported;
  if (behind.kind == PyKind::newline || lexed_.is_op(last + 1, ';')) {
    if (value == last && lexed_.tokens[value].word() == PyWord::none_value) return new_binding({{}, false, true, {}});
    if (lexed_.tokens[value].name == lexed_.tokens[target].name) return 0;
    const PyName name = resolve(value, last);
    if (name.root != PyName::Root::imported) return 0;
    binding.path = name.api;
    const Event* root = find_event(value);
    binding.has_hit = hit_in(lexed_.tokens[value].begin, lexed_.tokens[last].end) ||
                      (root != nullptr && bindings_[root->binding].has_hit);
    return new_binding(std::move(binding));
  }
  return module_by_call(value, last, binding) ? new_binding(std::move(binding)) : 0;
}

/// `importlib.import_module("a.b")` and `getattr(module, "name")`.
bool PyNames::module_by_call(std::uint32_t first, std::uint32_t last, Binding& binding) {
  if (!lexed_.is_op(last + 1, '(')) return false;
  const std::uint32_t closer = annotator_.mark(last + 1).mate;
  if (closer == kNoToken || lexed_.tokens[closer + 1].kind != PyKind::newline) return false;
  const PyName function = resolve(first, last);
  std::uint32_t text = last + 2;
  if (function.api == "getattr" && annotator_.is_plain_name(text)) {
    const std::uint32_t end = annotator_.mark(text).last;
    const PyName object = resolve(text, end);
    if (object.root != PyName::Root::imported || !lexed_.is_op(end + 1, ',')) return false;
    binding.path = object.api + ".";
    text = end + 2;
  } else if (function.api != "importlib.import_module" && function.api != "__import__") {
    return false;
  }
  if (lexed_.tokens[text].kind != PyKind::string || text >= closer) return false;
  append_string_value(lexed_.text_of(text), binding.path);
  binding.has_hit = hit_in(lexed_.tokens[text].begin, lexed_.tokens[text].end);
  return true;
}

/// Lets each event say what the name means from there on: an import outlives what another block binds (the handler's
/// `x = None`), but not what its own block binds later.
void PyNames::settle(std::vector<Event>& events) const {
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return std::pair(a.scope, a.token) < std::pair(b.scope, b.token); });
  const Event* current = nullptr;
  std::uint32_t kept = 0, kept_node = 0;
  for (Event& event : events) {
    const Binding& binding = bindings_[event.binding];
    if (current != nullptr && current->scope == event.scope) {
      const Binding& before = bindings_[kept];
      const bool other_block = event.node != kept_node;
      const bool weaker = binding.kind != Binding::Kind::imported || (before.has_hit && !binding.has_hit);
      if (before.kind == Binding::Kind::imported && weaker && (other_block || binding.is_none)) {
        event.binding = kept;
        current = &event;
        continue;
      }
    }
    current = &event;
    kept = event.binding;
    kept_node = event.node;
  }
}

const PyNames::Known& PyNames::know(std::uint32_t name) {
  if (known_[name].state != Known::State::unseen) return known_[name];
  known_[name].state = Known::State::busy;
  std::vector<Event> events, locals;
  for (std::uint32_t t = lexed_.names.first(name); t != kNoToken; t = lexed_.tokens[t].next) {
    add_event(t, events, locals);
  }
  settle(events);
  Known& known = known_[name];
  known.first = static_cast<std::uint32_t>(events_.size());
  events_.insert(events_.end(), events.begin(), events.end());
  known.last = static_cast<std::uint32_t>(events_.size());
  std::sort(locals.begin(), locals.end(), [](const Event& a, const Event& b) { return a.token < b.token; });
  events_.insert(events_.end(), locals.begin(), locals.end());
  known.local_last = static_cast<std::uint32_t>(events_.size());
  known.state = Known::State::done;
  return known;
}

const PyNames::Event* PyNames::find_in_scope(const Known& known, std::uint32_t scope, std::uint32_t token,
                                             bool own_scope) const {
  const auto first = events_.begin() + known.first, last = events_.begin() + known.last;
  const auto less = [](const Event& event, const std::pair<std::uint32_t, std::uint32_t>& key) {
    return std::pair(event.scope, event.token) < key;
  };
  const auto begin = std::lower_bound(first, last, std::pair(scope, 0u), less);
  const auto end = std::lower_bound(begin, last, std::pair(scope + 1, 0u), less);
  if (begin == end) return nullptr;
  const auto after = std::lower_bound(begin, end, std::pair(scope, token + 1), less);
  if (after != begin) return &*(after - 1);
  return own_scope ? &*begin : &*(end - 1);
}

const PyNames::Event* PyNames::find_event(std::uint32_t token) {
  const Known& known = know(lexed_.tokens[token].name);
  if (known.state == Known::State::busy || known.first == known.local_last) return nullptr;
  const auto locals = events_.begin() + known.last;
  auto local = std::upper_bound(locals, events_.begin() + known.local_last, token,
                                [](std::uint32_t t, const Event& event) { return t < event.token; });
  for (int i = 0; i < 8 && local != locals; ++i) {
    --local;
    if (token < local->until) return &*local;
  }
  const std::uint32_t line = annotator_.line_of(token);
  std::uint32_t scope = blocks_.scope_of(token, line);
  for (bool own_scope = true; scope != kNone; scope = blocks_.scopes[scope].parent, own_scope = false) {
    if (!own_scope && blocks_.scopes[scope].kind == PyScope::Kind::class_body) continue;
    if (const Event* event = find_in_scope(known, scope, token, own_scope)) return event;
  }
  return nullptr;
}

void PyNames::append_chain(std::string& api, std::uint32_t first, std::uint32_t last) const {
  int parts = 0;
  for (std::uint32_t i = first; i <= last && parts < kMaxParts; i += 2, ++parts) {
    if (!api.empty()) api += '.';
    api += lexed_.text_of(i);
  }
}

/// `self.name` where the class around defines `name`.
bool PyNames::own_attribute(std::uint32_t first, std::uint32_t last, std::string& api) {
  const PyWord word = lexed_.tokens[first].word();
  if (word != PyWord::self_ && word != PyWord::cls_) return false;
  if (last != first + 2) return false;
  std::uint32_t scope = blocks_.scope_of(first, annotator_.line_of(first));
  while (scope != kNone && blocks_.scopes[scope].kind != PyScope::Kind::class_body)
    scope = blocks_.scopes[scope].parent;
  if (scope == kNone || blocks_.scopes[scope].name == kNone) return false;
  const Known& known = know(lexed_.tokens[last].name);
  if (known.state != Known::State::done || find_in_scope(known, scope, kNoToken - 1, true) == nullptr) return false;
  api = "own.";
  api += lexed_.text_of(blocks_.scopes[scope].name);
  append_chain(api, last, last);
  return true;
}

PyName PyNames::unresolved(std::uint32_t first, std::uint32_t last) const {
  PyName name;
  const std::string_view root = lexed_.text_of(first);
  for (const auto& [word, module] : kConventions) {
    if (root != word) continue;
    name.api = module;
    if (last > first) append_chain(name.api, first + 2, last);
    name.root = PyName::Root::imported;
    name.certain = false;
    return name;
  }
  name.certain = false;
  const bool star = std::binary_search(kStarNames.begin(), kStarNames.end(), root);
  if (star && std::find(stars_.begin(), stars_.end(), "torch.cuda") != stars_.end()) {
    name.api = "torch.cuda";
    name.root = PyName::Root::imported;
  } else if (last > first && !(root[0] >= 'A' && root[0] <= 'Z') &&
             !hit_in(lexed_.tokens[first].begin, lexed_.tokens[first].end)) {
    // Text without its beginning: a lower-case name is more likely a variable than a module.
    name.api = "?";
    append_chain(name.api, first + 2, last);
    return name;
  }
  append_chain(name.api, first, last);
  return name;
}

PyName PyNames::resolve(std::uint32_t first, std::uint32_t last) {
  PyName name;
  if (first > 0 && lexed_.is_op(first - 1, '.')) {
    name.api = "?";
    name.root = PyName::Root::result;
    append_chain(name.api, first, last);
    return name;
  }
  if (depth_ >= kMaxDepth) {
    name.api = "?";
    name.root = PyName::Root::value;
    if (last > first) append_chain(name.api, first + 2, last);
    return name;
  }
  ++depth_;
  const Event* event = find_event(first);
  --depth_;
  if (event == nullptr) return unresolved(first, last);
  const Binding& binding = bindings_[event->binding];
  if (binding.kind != Binding::Kind::value) {
    name.api = binding.path;
    if (last > first) append_chain(name.api, first + 2, last);
    name.root = binding.kind == Binding::Kind::own ? PyName::Root::own : PyName::Root::imported;
    return name;
  }
  name.root = PyName::Root::value;
  if (last == first) {
    name.api = "own.";
    name.api += lexed_.text_of(first);
    return name;
  }
  if (own_attribute(first, last, name.api)) {
    name.root = PyName::Root::own;
    return name;
  }
  const bool rest = hit_in(lexed_.tokens[first + 2].begin, lexed_.tokens[last].end);
  if (!rest && hit_in(lexed_.tokens[first].begin, lexed_.tokens[first].end)) {
    name.api = "own";
    append_chain(name.api, first, last);
  } else {
    name.api = "?";
    append_chain(name.api, first + 2, last);
  }
  return name;
}

PyName PyNames::resolve_ending(std::uint32_t token) {
  if (token < lexed_.tokens.size() && annotator_.is_plain_name(token)) {
    annotator_.need(token);
    return resolve(annotator_.mark(token).first, token);
  }
  PyName name;
  name.api = "?";
  name.root = PyName::Root::result;
  return name;
}

void PyNames::follow_alias(std::uint32_t token) { followed_.push_back(lexed_.tokens[token].name); }

void PyNames::bound_uses(std::vector<std::uint32_t>& uses) {
  std::vector<std::uint32_t> names = std::move(followed_);
  followed_.clear();
  for (const std::uint32_t i : binding_imports_) {
    const Import& import = imports_[i];
    if (import.has_hit && !starts_own(import.path) && import.bound_size > 0) {
      const std::string_view bound = std::string_view(import.path).substr(0, import.bound_size);
      // `import torch.cuda` binds torch, which is no hit by itself.
      if (bound.size() < import.path.size() &&
          !hit_in(lexed_.tokens[import.bound].begin, lexed_.tokens[import.bound].end))
        continue;
      names.push_back(lexed_.tokens[import.bound].name);
    }
  }
  if (std::find(stars_.begin(), stars_.end(), "torch.cuda") != stars_.end()) {
    for (const std::string_view star : kStarNames)
      if (const std::uint32_t name = lexed_.names.find(star)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::uint32_t name : names) {
    for (std::uint32_t t = lexed_.names.first(name); t != kNoToken; t = lexed_.tokens[t].next) {
      if (t > 0 && lexed_.is_op(t - 1, '.')) continue;
      if (import_at(t) != nullptr) continue;
      const Event* event = find_event(t);
      const bool star = event == nullptr && !stars_.empty();
      if (!star && (event == nullptr || !bindings_[event->binding].has_hit || event->token == t)) continue;
      uses.push_back(t);
    }
  }
  std::sort(uses.begin(), uses.end());
}

std::uint32_t PyNames::variable_scope(std::uint32_t token) {
  const Event* event = find_event(token);
  if (event == nullptr || bindings_[event->binding].kind != Binding::Kind::value) return kNone;
  return event->scope;
}

std::uint32_t PyNames::own_definition(std::uint32_t token) {
  const Event* event = find_event(token);
  if (event == nullptr || bindings_[event->binding].kind != Binding::Kind::own) return kNoToken;
  return event->token;
}

}  // namespace accelport
