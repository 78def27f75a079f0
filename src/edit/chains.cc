// Chains of names: functions, classes and modules of torch.cuda, and is_cuda.

#include <algorithm>
#include <utility>

#include "edit/rewrite.h"

namespace accelport {
namespace {

constexpr std::string_view kCuda = "torch.cuda";
constexpr std::string_view kModule = "accelerator_module";

const HelperFunction* function_for(const HelperTable& table, std::string_view path) {
  for (const HelperFunction& function : table.functions) {
    const auto& names = function.stands_for;
    const bool stands = std::find(names.begin(), names.end(), path) != names.end();
    if (function.kind == HelperKind::callable && stands) return &function;
  }
  return nullptr;
}

/// Names behind torch.cuda.
std::uint32_t names_below(std::string_view path) {
  return static_cast<std::uint32_t>(std::count(path.begin() + kCuda.size(), path.end(), '.'));
}

/// Whether the chain is set or deleted: the helper's functions are objects of their own.
bool is_target(const PythonSource& source, std::uint32_t first, std::uint32_t last) {
  if (source.lexed.is_op(last + 1, '(')) return false;
  const PyStatement statement = source.annotator.statement(first);
  if (statement.word == PyWord::del_ || (statement.assign != kNoToken && first < statement.assign)) return true;
  if (first > 0 && source.token(first - 1).word() == PyWord::as_) return true;
  return (source.mark(first).flags & PyMark::for_target) != 0;
}

bool is_decorator(const PythonSource& source, std::uint32_t first) {
  return first > 0 && source.lexed.is_op(first - 1, '@') && source.annotator.statement(first).first == first - 1;
}

Rewrite replaced(const PythonSource& source, std::uint32_t first, std::uint32_t last, std::string text,
                 std::string function) {
  Rewrite out;
  out.drafts.push_back({{source.token(first).begin, source.token(last).end}, std::move(text), source.token(last).end});
  out.functions.insert(std::move(function));
  return out;
}

}  // namespace

bool is_cuda_path(std::string_view path) {
  return path.starts_with(kCuda) && (path.size() == kCuda.size() || path[kCuda.size()] == '.');
}

std::string spaced(std::string_view text, Span span, std::string replacement) {
  if (span.begin > 0 && is_word_byte(text[span.begin - 1])) replacement.insert(0, 1, ' ');
  if (span.end < text.size() && is_word_byte(text[span.end])) replacement += ' ';
  return replacement;
}

std::string expression_for(const RewriteContext& context, std::string_view path, std::set<std::string>& functions) {
  functions.emplace(kModule);
  return context.call(kModule) + std::string(path.substr(kCuda.size()));
}

Rewrite rewrite_chain(const RewriteContext& context, std::uint32_t token, std::string_view api,
                      const HelperFunction& function) {
  const PythonSource& source = context.source;
  const std::uint32_t first = source.mark(token).first;
  const std::uint32_t last = source.mark(token).last;
  if (function.kind == HelperKind::device) return rewrite_move(context, last);
  if (function.kind == HelperKind::identity) return rewrite_device_argument(context, last, function);
  if (function.kind == HelperKind::keyword) return rewrite_keyword(context, last, api, function);
  if (function.kind == HelperKind::predicate) return rewrite_predicate(context, last, function);
  if (function.kind == HelperKind::value) {
    const auto& names = function.stands_for;
    const bool known = std::find(names.begin(), names.end(), api) != names.end();
    if (!known || first == last || is_target(source, first, last))
      return Rewrite::leave("no function of the helper stands for this");
    return replaced(source, first, last, context.call(function.name), function.name);
  }
  if (!is_cuda_path(api)) {
    const bool stands = function.kind == HelperKind::callable && function.stands_for.front() == api;
    if (!stands || is_target(source, first, last)) return Rewrite::leave("no function of the helper stands for this");
    return replaced(source, first, last, context.use(function.name), function.name);
  }
  const std::uint32_t below = names_below(api);
  const std::uint32_t names = (last - first) / 2 + 1;
  const std::string_view root = source.text_of(first);
  Rewrite carried;
  carried.carried = root;
  if (names <= below) return carried;
  if (names - below == 1 && context.imported.find(root) == context.imported.end()) return carried;
  if (const HelperFunction* own = function_for(context.table, api); own != nullptr && !is_target(source, first, last))
    return replaced(source, first, last, context.use(own->name), own->name);
  if (context.old_decorators && is_decorator(source, first))
    return Rewrite::leave("a decorator of this shape needs Python 3.9, and the repository allows an older one");
  return replaced(source, first, last - 2 * below, context.call(kModule), std::string(kModule));
}

Rewrite rewrite_predicate(const RewriteContext& context, std::uint32_t name, const HelperFunction& function) {
  const PythonSource& source = context.source;
  if (name < 2 || !source.lexed.is_op(name - 1, '.')) return Rewrite::leave("a name of the program's own");
  if (source.text_of(name) != function.stands_for.front())
    return Rewrite::leave("no function of the helper stands for this");
  if (source.lexed.is_op(name + 1, '(')) return Rewrite::leave("called, so it is a method of the program's own");
  if (source.annotator.place(name).context == Context::target) return Rewrite::leave("an attribute that is set here");
  const std::uint32_t primary = source.mark(name).primary;
  if (primary >= name) return Rewrite::leave("what it is asked about could not be read");
  const std::uint32_t begin = source.token(primary).begin;
  const std::uint32_t end = source.token(name).end;
  Rewrite out;
  std::string open = context.use(function.name) + "(";
  if (begin > 0 && is_word_byte(source.text[begin - 1])) open.insert(0, 1, ' ');
  out.drafts.push_back({{begin, begin}, std::move(open), end});
  const Span before_dot{source.token(name - 2).end, source.token(name - 1).begin};
  const bool blank = trim(slice(source.text, before_dot)).empty();
  out.drafts.push_back({{blank ? before_dot.begin : before_dot.end, end}, ")", end});
  out.functions.insert(function.name);
  return out;
}

}  // namespace accelport
