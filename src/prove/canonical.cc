// Statements: imports, bindings, everything else.

#include "prove/canonical.h"

#include <algorithm>
#include <utility>

#include "prove/canonicaliser.h"

namespace accelport {
namespace {

constexpr std::string_view kCuda = "torch.cuda";

bool is_torch(std::string_view path) { return path == "torch" || path.starts_with("torch."); }
bool is_cuda(std::string_view path) { return path == kCuda || path.starts_with("torch.cuda."); }

std::string marked(std::string_view what, std::string_view rest) {
  return std::string(1, kStatementMark) + std::string(what) + kJoin + std::string(rest);
}

}  // namespace

std::string escaped_value(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20;
    if (control) out += kEscape;
    out += control ? static_cast<char>(c + 0x40) : c;
  }
  return out;
}

std::string Canonicaliser::raw(std::uint32_t begin, std::uint32_t end) const {
  if (begin >= end) return {};
  return std::string(
      lexed_.text.substr(lexed_.tokens[begin].begin, lexed_.tokens[end - 1].end - lexed_.tokens[begin].begin));
}

void Canonicaliser::problem(std::uint32_t token, std::string what) {
  out_.problems.push_back({lexed_.tokens[token].begin, std::move(what)});
}

void Canonicaliser::add(std::string text, std::uint32_t begin, std::uint32_t end, std::uint32_t depth, bool movable) {
  out_.statements.push_back(
      {std::move(text), depth, {lexed_.tokens[begin].begin, lexed_.tokens[end - 1].end}, movable});
}

/// Whether the import of `path` stands where its failure is caught: then taking the name from the module fails in
/// another way.
bool Canonicaliser::import_may_fail(std::uint32_t token, std::string_view path) const {
  if (table_.present.count(path) != 0) return false;
  for (std::uint32_t line = annotator_.line_of(token); line != kNone; line = source_.parent[line])
    if (lexed_.tokens[lexed_.lines[line].first].word() == PyWord::try_) return true;
  return false;
}

void Canonicaliser::imports(std::uint32_t begin, std::uint32_t end, std::uint32_t depth) {
  for (const ImportItem& item : bindings_.imports()) {
    if (item.statement != begin || bindings_.is_helper_import(item)) continue;
    const std::string bound(lexed_.text_of(item.bound));
    std::string path = item.path();
    if (!is_torch(path)) {
      std::string text = item.module + kJoin;
      if (item.from) text += item.name + kJoin;
      add(marked(item.from ? "from" : "import", text + item.alias), begin, end, depth);
      continue;
    }
    const std::string target = spelling(path);
    const std::string& whole = item.from || !item.alias.empty() ? path : item.module;
    if (is_cuda(path) && elided_.count(item.alias.empty() ? item.name : item.alias) != 0) continue;
    std::string how;
    if (whole != path && table_.loaded.count(whole) == 0) how = " loads " + whole;
    if (is_cuda(path) && import_may_fail(begin, path)) how += " or ImportError";
    const std::string name = !item.alias.empty() ? item.alias : item.from ? item.name : path;
    add(marked("bind", name + kJoin + target + how), begin, end, depth, true);
  }
}

/// `name = …` where the value is a chain into torch.cuda binds what an import would.
bool Canonicaliser::assignment(std::uint32_t begin, std::uint32_t end, std::uint32_t depth) {
  if (end < begin + 3 || !source_.is_variable(begin) || !lexed_.is_op(begin + 1, '=')) return false;
  const Bindings::Chain chain = bindings_.chain_at(begin + 2);
  if (chain.behind != end || !is_cuda(chain.path)) return false;
  // A value from a name that is not bound yet stays where it is; a helper's function is no object with attributes.
  const bool own_function =
      chain.helper && bindings_.is_callable(chain.path) && lexed_.is_op(begin + 3, '.') && chain.behind == begin + 5;
  if (own_function ? bindings_.has_attributes(begin) : !chain.helper && !bindings_.bound_before(begin + 2))
    return false;
  if (chain.helper) note_use(begin + 2);
  add(marked("bind", std::string(lexed_.text_of(begin)) + kJoin + spelling(chain.path)), begin, end, depth, true);
  return true;
}

void Canonicaliser::statement(std::uint32_t begin, std::uint32_t end, std::uint32_t depth) {
  while (end > begin && lexed_.is_op(end - 1, ';')) --end;
  if (begin == end) return;
  const PyWord word = annotator_.statement(begin).word;
  const bool import = word == PyWord::import_ || word == PyWord::from_;
  if (import && !raw(begin, begin + 2).ends_with("__future__")) return imports(begin, end, depth);
  if (assignment(begin, end, depth)) return;
  Tokens tokens;
  emit(begin, end, tokens);
  std::string text;
  if (tokens.size() == 1 && tokens[0][0] == kStringMark) {
    // Only a plain literal documents what it stands in.
    const bool plain = std::all_of(lexed_.tokens.begin() + begin, lexed_.tokens.begin() + end,
                                   [](const PyToken& t) { return t.kind == PyKind::string; });
    text = marked(plain ? "text" : "computed", "");
  }
  for (const std::string& token : tokens) text += token + kJoin;
  add(std::move(text), begin, end, depth);
}

void Canonicaliser::line(std::uint32_t number) {
  const PyLine& line = lexed_.lines[number];
  std::uint32_t depth = source_.depth[number];
  for (std::uint32_t begin = line.first; begin < line.last;) {
    const std::uint32_t own = annotator_.mark(begin).statement;
    std::uint32_t end = begin + 1;
    while (end < line.last && annotator_.mark(end).statement == own) ++end;
    statement(begin, end, depth);
    // What stands behind a header's colon is its block.
    if (begin == line.first && lexed_.is_op(end - 1, ':')) ++depth;
    begin = end;
  }
}

/// Imports out of torch and of the helper's values have no effect on each other: sorted, and each once.
void Canonicaliser::order_bindings() {
  std::vector<CanonicalStatement>& all = out_.statements;
  std::vector<CanonicalStatement> ordered;
  for (auto begin = all.begin(); begin != all.end();) {
    auto end = begin + 1;
    while (begin->movable && end != all.end() && end->movable && end->depth == begin->depth) ++end;
    // By the name alone, so that two bindings of one name keep their order.
    std::stable_sort(begin, end, [](const CanonicalStatement& a, const CanonicalStatement& b) {
      const auto name = [](const CanonicalStatement& s) {
        return s.text.substr(0, s.text.find(kJoin, s.text.find(kJoin) + 1));
      };
      return name(a) < name(b);
    });
    for (; begin != end; ++begin)
      if (!begin->movable || ordered.empty() || ordered.back().text != begin->text || !ordered.back().movable ||
          ordered.back().depth != begin->depth)
        ordered.push_back(std::move(*begin));
  }
  all = std::move(ordered);
}

Canonical Canonicaliser::run() {
  for (std::uint32_t i = 0; i < lexed_.lines.size(); ++i)
    if (idle_.count(i) == 0) line(i);
  order_bindings();
  return std::move(out_);
}

Canonical canonicalise(const PythonText& source, Bindings& bindings, const HelperTable& table,
                       const std::set<std::string>& elided, const std::set<std::uint32_t>& idle) {
  return Canonicaliser(source, bindings, table, elided, idle).run();
}

}  // namespace accelport
