#include "prove/checks.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "syntax/python_strings.h"

namespace accelport {
namespace {

class HelperChecks {
 public:
  HelperChecks(const PythonText& source, const Bindings& bindings)
      : source_(source), lexed_(source.lexed), bindings_(bindings) {}

  std::vector<CanonicalProblem> run();

 private:
  void check_import(const ImportItem& item);
  void check_name(const std::string& name);
  void check_use(std::uint32_t token);
  bool is_import(std::uint32_t token) const;
  std::uint32_t line_of(std::uint32_t token) const { return source_.annotator.line_of(token); }
  std::uint32_t scope_of(std::uint32_t token) const { return source_.blocks.scope_of(token, line_of(token)); }
  void add(std::uint32_t token, std::string what) {
    problems_.push_back({lexed_.tokens[token].begin, std::move(what)});
  }

  const PythonText& source_;
  const PyLexed& lexed_;
  const Bindings& bindings_;
  std::vector<const ImportItem*> imports_;  // of the helper
  std::vector<CanonicalProblem> problems_;
};

bool HelperChecks::is_import(std::uint32_t token) const {
  return std::any_of(bindings_.imports().begin(), bindings_.imports().end(),
                     [&](const ImportItem& item) { return item.bound == token && bindings_.is_helper_import(item); });
}

/// A docstring and `from __future__` only count where nothing stands in front.
void HelperChecks::check_import(const ImportItem& item) {
  const std::uint32_t line = line_of(item.bound);
  if (lexed_.lines[line].first != item.statement) return add(item.statement, "the helper's import shares its line");
  // Only the first statement of a module, a class or a function can be a docstring.
  const bool leads = line == 0 || source_.parent[line] == line - 1;
  for (std::uint32_t next = line + 1; next < lexed_.lines.size(); ++next) {
    const std::uint32_t first = lexed_.lines[next].first;
    if (lexed_.tokens[first].word() == PyWord::from_ && lexed_.text_of(first + 1) == "__future__")
      return add(item.statement, "the helper's import stands in front of `from __future__`");
    if (leads && next == line + 1 && lexed_.tokens[first].kind == PyKind::string)
      return add(item.statement, "the helper's import stands in front of a docstring");
  }
}

/// The use must stand in the import's own block, behind it.
void HelperChecks::check_use(std::uint32_t token) {
  for (std::uint32_t scope = scope_of(token); scope != kNone; scope = source_.blocks.scopes[scope].parent) {
    bool bound_here = false;
    for (const ImportItem* item : imports_) {
      const std::uint32_t line = line_of(item->bound);
      if (scope_of(item->bound) != scope || lexed_.tokens[item->bound].name != lexed_.tokens[token].name) continue;
      bound_here = true;
      if (item->bound < token && source_.stands_in(line_of(token), source_.parent[line])) return;
    }
    if (bound_here) return add(token, "the helper is used where its import may not have run");
  }
  add(token, "the helper is not imported here");
}

void HelperChecks::check_name(const std::string& name) {
  const std::uint32_t number = lexed_.names.find(name);
  if (number == 0) return;
  for (std::uint32_t t = lexed_.names.first(number); t != kNoToken; t = lexed_.tokens[t].next) {
    if (!source_.is_variable(t) || is_import(t)) continue;
    const PyWord word = source_.annotator.statement(t).word;
    // In an import statement only what is bound counts, and that is the helper's or another module's name.
    if (word == PyWord::import_ || word == PyWord::from_) {
      const bool bound = std::any_of(bindings_.imports().begin(), bindings_.imports().end(),
                                     [&](const ImportItem& item) { return item.bound == t; });
      if (bound) add(t, fmt::format("the helper's name '{}' is bound to something else", name));
      continue;
    }
    if (!lexed_.is_op(t + 1, '.')) {
      add(t, fmt::format("the helper's name '{}' is used for something else", name));
    } else {
      if (!bindings_.helper_has(lexed_.text_of(t + 2)))
        add(t, fmt::format("the helper has no '{}'", lexed_.text_of(t + 2)));
      check_use(t);
    }
  }
}

std::vector<CanonicalProblem> HelperChecks::run() {
  std::set<std::string> names;
  for (const ImportItem& item : bindings_.imports()) {
    if (!bindings_.is_helper_import(item)) continue;
    imports_.push_back(&item);
    names.emplace(lexed_.text_of(item.bound));
    check_import(item);
  }
  for (const std::string& name : names) check_name(name);
  return std::move(problems_);
}

/// f-strings whose holes hold their own quotes or backslashes: an error before Python 3.12.
std::vector<std::uint32_t> nested_quotes(const PythonText& source) {
  std::vector<std::uint32_t> found;
  std::vector<std::uint32_t> open;
  const PyLexed& lexed = source.lexed;
  for (std::uint32_t i = 0; i < lexed.tokens.size(); ++i) {
    const PyToken& token = lexed.tokens[i];
    if (token.kind == PyKind::string || token.kind == PyKind::fstring_begin) {
      const std::string_view inner = lexed.text_of(i);
      for (const std::uint32_t outer : open) {
        const std::string_view begin = lexed.text_of(outer);
        const char quote = begin.back();
        const bool triple = begin.size() >= 3 && begin[begin.size() - 2] == quote && begin[begin.size() - 3] == quote;
        const std::string closing(triple ? 3 : 1, quote);
        const bool breaks = inner.find(closing) != std::string_view::npos ||
                            inner.find('\\') != std::string_view::npos ||
                            (!triple && inner.find('\n') != std::string_view::npos);
        if (breaks) found.push_back(i);
        if (breaks) break;
      }
    }
    if (token.kind == PyKind::fstring_begin) open.push_back(i);
    if (token.kind == PyKind::fstring_end && !open.empty()) open.pop_back();
  }
  return found;
}

std::uint32_t first_fstring(const PythonText& source) {
  for (std::uint32_t i = 0; i < source.lexed.tokens.size(); ++i)
    if (source.lexed.tokens[i].kind == PyKind::fstring_begin) return i;
  return kNoToken;
}

/// `print x` and `except E, e`.
bool is_python2(const PythonText& source) {
  for (const PyLine& line : source.lexed.lines) {
    const PyToken& next = source.lexed.tokens[line.first + 1];
    const PyWord word = source.lexed.tokens[line.first].word();
    if (word == PyWord::print_ &&
        (next.kind == PyKind::string || next.kind == PyKind::number || next.kind == PyKind::name))
      return true;
    if (word == PyWord::except_ && source.is_name(line.first + 1) && source.lexed.is_op(line.first + 2, ',') &&
        source.is_name(line.first + 3))
      return true;
  }
  return false;
}

/// A free use of the name in the text, or a list of exports that may hold it.
bool is_used(const PythonText& source, Bindings& bindings, const std::string& name) {
  const PyLexed& lexed = source.lexed;
  if (const std::uint32_t number = lexed.names.find(name); number != 0) {
    for (std::uint32_t t = lexed.names.first(number); t != kNoToken; t = lexed.tokens[t].next) {
      const PyWord word = source.annotator.statement(t).word;
      const bool import = word == PyWord::import_ || word == PyWord::from_;
      if (!source.is_variable(t) || (import && !bindings.binds(t))) continue;
      if (!bindings.is_local(t) || !bindings.path_of(t).empty()) return true;
    }
  }
  const std::uint32_t all = lexed.names.find("__all__");
  if (all == 0) return false;
  for (std::uint32_t t = lexed.names.first(all); t != kNoToken; t = lexed.tokens[t].next) {
    const PyLine& line = lexed.lines[source.annotator.line_of(t)];
    for (std::uint32_t i = line.first; i < line.last; ++i) {
      std::string value;
      if (lexed.tokens[i].kind == PyKind::string) append_string_value(lexed.text_of(i), value);
      if (value == name) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<CanonicalProblem> helper_problems(const PythonText& ported, const Bindings& bindings) {
  return HelperChecks(ported, bindings).run();
}

std::vector<CanonicalProblem> relative_problems(const PythonText& original, const Bindings& original_bindings,
                                                const PythonText& ported, const Bindings& ported_bindings,
                                                const std::function<bool(std::size_t)>& is_packaged) {
  std::size_t climbed = 0;
  for (const ImportItem& item : original_bindings.imports())
    if (original.depth[original.annotator.line_of(item.statement)] == 0)
      climbed = std::max(climbed, leading_dots(item.module));
  const bool is_program = original.text.find("__main__") != std::string_view::npos;
  std::vector<CanonicalProblem> problems;
  for (const ImportItem& item : ported_bindings.imports()) {
    const std::size_t dots = leading_dots(item.module);
    if (dots <= climbed || !ported_bindings.is_helper_import(item) || (is_packaged(dots) && !is_program)) continue;
    problems.push_back({ported.lexed.tokens[item.statement].begin,
                        is_program ? "a relative import, which fails where the file is run as a program"
                                   : "a relative import in a file that lies in no package"});
  }
  return problems;
}

std::vector<CanonicalProblem> version_problems(const PythonText& original, const PythonText& ported) {
  std::vector<CanonicalProblem> problems;
  const auto after = nested_quotes(ported);
  if (after.size() > nested_quotes(original).size())
    problems.push_back({ported.lexed.tokens[after.back()].begin, "this f-string needs Python 3.12"});
  const std::uint32_t first = first_fstring(ported);
  if (first != kNoToken && first_fstring(original) == kNoToken && is_python2(original))
    problems.push_back({ported.lexed.tokens[first].begin, "an f-string in a file for Python 2"});
  return problems;
}

std::set<std::string> unused_imports(const PythonText& original, Bindings& original_bindings, const PythonText& ported,
                                     Bindings& ported_bindings, const std::function<bool(std::string_view)>& is_taken) {
  std::set<std::string> names;
  for (const ImportItem& item : original_bindings.imports()) {
    const std::string path = item.path();
    if (path != "torch.cuda" && !path.starts_with("torch.cuda.")) continue;
    const std::string name(original.lexed.text_of(item.bound));
    if (!is_used(ported, ported_bindings, name) && !is_taken(name)) names.insert(name);
  }
  return names;
}

}  // namespace accelport
