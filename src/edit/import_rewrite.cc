#include "edit/import_rewrite.h"

#include <algorithm>
#include <utility>

namespace accelport {
namespace {

constexpr std::string_view kCuda = "torch.cuda";

class ImportRewriter {
 public:
  ImportRewriter(const RewriteContext& context, const ImportStatement& statement,
                 const std::function<bool(std::string_view)>& uses_left)
      : context_(context), source_(context.source), statement_(statement), uses_left_(uses_left) {}

  ImportRewrite run();

 private:
  std::string problem() const;
  std::string problem_with(const ImportedName& name) const;
  void plain_module(const ImportedName& name);
  void take(const ImportedName& name);
  void finish();
  void delete_taken();
  void append_bindings();
  std::string joined(const std::string& separator) const;
  void add(Span span, std::string text) {
    out_.rewrite.drafts.push_back({span, std::move(text), source_.token(statement_.last).end});
  }
  Span span() const { return {source_.token(statement_.first).begin, source_.token(statement_.last).end}; }

  const RewriteContext& context_;
  const PythonSource& source_;
  const ImportStatement& statement_;
  const std::function<bool(std::string_view)>& uses_left_;
  std::vector<bool> taken_;
  std::vector<std::string> bindings_;
  ImportRewrite out_;
};

std::string ImportRewriter::problem() const {
  if (source_.stands_under(statement_.first, "TYPE_CHECKING")) return "an import for type checkers only";
  for (const Span& comment : source_.lexed.comments)
    if (comment.begin > span().begin && comment.end < span().end) return "an import with comments between its names";
  return {};
}

std::string ImportRewriter::problem_with(const ImportedName& name) const {
  if (name.star) return "takes all names of the module";
  const bool in_try = source_.stands_under(statement_.first, PyWord::try_);
  if (in_try && context_.table.present.find(name.path) == context_.table.present.end())
    return "an import whose failure is caught; not every torch has the name";
  const bool loads = !statement_.from && name.path != kCuda;
  if (loads && context_.table.loaded.find(name.path) == context_.table.loaded.end())
    return "imports a module that torch does not load by itself";
  return {};
}

/// `import torch.cuda` binds torch.
void ImportRewriter::plain_module(const ImportedName& name) {
  add({source_.token(name.first + 1).begin, source_.token(name.last).end}, "");
}

void ImportRewriter::take(const ImportedName& name) {
  const std::string bound(source_.text_of(name.bound));
  if (name.path == kCuda && !uses_left_(bound)) {
    out_.dropped.push_back(bound);
    return;
  }
  bindings_.push_back(bound + " = " + expression_for(context_, name.path, out_.rewrite.functions));
  out_.bound.push_back(bound);
}

std::string ImportRewriter::joined(const std::string& separator) const {
  std::string text;
  for (const std::string& binding : bindings_) text += (text.empty() ? "" : separator) + binding;
  return text;
}

/// Removes the items that are taken, each run with the comma on one of its sides.
void ImportRewriter::delete_taken() {
  const auto& names = statement_.names;
  for (std::size_t i = 0; i < names.size();) {
    std::size_t end = i;
    while (end < names.size() && taken_[end]) ++end;
    if (end > i && end < names.size()) {
      add({source_.token(names[i].first).begin, source_.token(names[end].first).begin}, "");
    } else if (end > i) {
      add({source_.token(names[i - 1].last).end, source_.token(names[end - 1].last).end}, "");
    }
    i = std::max(end, i + 1);
  }
}

/// Behind the statement that keeps some of its names.
void ImportRewriter::append_bindings() {
  if (bindings_.empty()) return;
  std::string_view indent;
  std::uint32_t end = 0;
  const bool own_line = source_.begins_line(statement_.first, indent) && source_.ends_line(statement_.last, end);
  if (!own_line) {
    add({span().end, span().end}, "; " + joined("; "));
    return;
  }
  const std::string separator = source_.newline + std::string(indent);
  add({end, end}, separator + joined(separator));
}

void ImportRewriter::finish() {
  if (std::find(taken_.begin(), taken_.end(), false) != taken_.end()) {
    delete_taken();
    return append_bindings();
  }
  if (bindings_.empty()) {
    out_.removable = true;
    return;
  }
  std::string_view indent;
  const bool own_line = source_.begins_line(statement_.first, indent);
  add(span(), joined(own_line ? source_.newline + std::string(indent) : "; "));
}

ImportRewrite ImportRewriter::run() {
  out_.rewrite.left = problem();
  for (const ImportedName& name : statement_.names) {
    taken_.push_back(is_cuda_path(name.path));
    if (taken_.back() && out_.rewrite.left.empty()) out_.rewrite.left = problem_with(name);
  }
  if (std::find(taken_.begin(), taken_.end(), true) == taken_.end() && out_.rewrite.left.empty())
    out_.rewrite.left = "no function of the helper stands for this";
  if (!out_.rewrite.left.empty()) return std::move(out_);
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (!taken_[i]) continue;
    const ImportedName& name = statement_.names[i];
    if (statement_.from || name.aliased) {
      take(name);
    } else {
      plain_module(name);
      taken_[i] = false;
    }
  }
  if (std::find(taken_.begin(), taken_.end(), true) != taken_.end()) finish();
  return std::move(out_);
}

bool is_import(const PythonSource& source, const PyLine& line) {
  const PyWord word = source.token(line.first).word();
  return word == PyWord::import_ || word == PyWord::from_;
}

bool ends_block(const PythonSource& source, const PyLine& line) {
  const PyWord word = source.token(line.first).word();
  return word == PyWord::def_ || word == PyWord::class_ || word == PyWord::async_ ||
         source.lexed.is_op(line.first, '@');
}

bool is_docstring(const PythonSource& source, std::uint32_t line) {
  const PyLine& first = source.lexed.lines[line];
  return line == 0 && source.token(first.first).kind == PyKind::string &&
         source.annotator.place(first.first).context == Context::statement;
}

}  // namespace

ImportRewrite rewrite_import(const RewriteContext& context, const ImportStatement& statement,
                             const std::function<bool(std::string_view name)>& uses_left) {
  return ImportRewriter(context, statement, uses_left).run();
}

HelperImport place_import(const PythonSource& source, const std::string& statement, std::uint32_t first_edit) {
  const auto& lines = source.lexed.lines;
  std::uint32_t behind = kNone;  // the line that the import goes behind
  std::uint32_t owner = 0;       // the last line of the module that begins in front of the edit
  bool leading = true;
  for (std::uint32_t i = 0; i < lines.size() && lines[i].begin <= first_edit; ++i) {
    if (source.parent[i] != kNone) continue;
    owner = i;
    leading = leading && !ends_block(source, lines[i]);
    const bool whole = source.token(lines[i].last).begin <= first_edit && lines[i].end <= first_edit;
    if (leading && whole && (is_import(source, lines[i]) || is_docstring(source, i))) behind = i;
  }
  HelperImport out;
  if (behind != kNone) {
    const std::uint32_t at = source.next_line(source.token(lines[behind].last - 1).end);
    out.span = {at, at};
  } else {
    std::uint32_t begin = lines.empty() ? 0 : source.token(lines[owner].first).begin;
    for (std::uint32_t i = 0; i < owner; ++i)
      if (source.parent[i] == kNone) {
        begin = source.token(lines[i].first).begin;
        break;
      }
    out.span = {begin, begin};
  }
  out.text = statement + source.newline;
  return out;
}

bool is_helper_import(const ImportStatement& statement, const ImportedName& name, std::string_view bound) {
  const std::string_view path = name.path;
  const std::size_t dot = path.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? path : path.substr(dot + 1);
  return !name.aliased && last == bound && (statement.from || dot == std::string_view::npos);
}

bool has_import(const PythonSource& source, std::string_view helper, std::uint32_t first_edit) {
  for (const ImportStatement& statement : source.imports)
    for (const ImportedName& name : statement.names) {
      const bool earlier = source.token(statement.last).end <= first_edit && source.at_module_level(statement.first);
      if (earlier && is_helper_import(statement, name, helper)) return true;
    }
  return false;
}

}  // namespace accelport
