// Places where no expression of the helper can stand.

#include <algorithm>

#include "edit/rewrite.h"

namespace accelport {
namespace {

constexpr std::string_view kCompilers[] = {"script", "script_method", "script_if_tracing", "jit", "njit"};

bool compiles(std::string_view word) {
  return std::find(std::begin(kCompilers), std::end(kCompilers), word) != std::end(kCompilers);
}

bool in_annotation(const PythonSource& source, std::uint32_t token) {
  for (; token != kNoToken; token = source.mark(token).opener)
    if ((source.mark(token).flags & (PyMark::annotation | PyMark::returns)) != 0) return true;
  return false;
}

/// Literal["cuda"]
bool in_literal_type(const PythonSource& source, std::uint32_t token) {
  for (std::uint32_t open = source.mark(token).opener; open != kNoToken; open = source.mark(open).opener)
    if (source.lexed.is_op(open, '[') && open > 0 && source.text_of(open - 1) == "Literal") return true;
  return false;
}

/// {expression=} prints the expression as it is spelt.
bool is_printed(const PythonSource& source, std::uint32_t token) {
  for (std::uint32_t open = source.mark(token).opener; open != kNoToken; open = source.mark(open).opener) {
    if (source.token(open).kind != PyKind::field_open) continue;
    int depth = 0;
    for (std::uint32_t i = open + 1; i < source.lexed.tokens.size(); ++i) {
      const PyToken& t = source.token(i);
      if (t.kind == PyKind::newline) break;
      depth += t.kind == PyKind::field_open || (t.kind == PyKind::op && t.op2 == 0 && (t.op == '(' || t.op == '['));
      if (depth == 0 && (t.kind == PyKind::field_close || source.lexed.is_op(i, ':') || source.lexed.is_op(i, '!'))) {
        if (source.lexed.is_op(i - 1, '=')) return true;
        break;
      }
      depth -= t.kind == PyKind::field_close || (t.kind == PyKind::op && t.op2 == 0 && (t.op == ')' || t.op == ']'));
    }
  }
  return false;
}

/// Whether `name` is handed to torch.jit.script, itself or as an object that is made there.
bool is_handed_to_script(const PythonSource& source, std::string_view name) {
  const std::uint32_t script = source.lexed.names.find("script");
  if (script == 0) return false;
  for (std::uint32_t t = source.lexed.names.first(script); t != kNoToken; t = source.token(t).next)
    if (source.lexed.is_op(t + 1, '(') && source.text_of(t + 2) == name) return true;
  return false;
}

bool is_compiled(const PythonSource& source, std::uint32_t token) {
  const PyBlocks& blocks = source.blocks;
  std::uint32_t scope = blocks.scope_of(token, source.annotator.line_of(token));
  for (; scope != kNone; scope = blocks.scopes[scope].parent) {
    const PyScope& inner = blocks.scopes[scope];
    if (inner.line == kNone) continue;
    if (inner.name != kNone && is_handed_to_script(source, source.text_of(inner.name))) return true;
    if (blocks.decorated_by[inner.line] == kNone) continue;
    for (std::uint32_t line = blocks.decorated_by[inner.line]; line < inner.line; ++line)
      for (std::uint32_t t = source.lexed.lines[line].first; t < source.lexed.lines[line].last; ++t)
        if (compiles(source.text_of(t))) return true;
  }
  return false;
}

}  // namespace

Rewrite place_rewrite(const PythonSource& source, std::uint32_t token) {
  if (in_annotation(source, token)) return Rewrite::leave("an annotation, which is no expression of the program", true);
  if (in_literal_type(source, token))
    return Rewrite::leave("a Literal[...] type, which must hold plain literals", true);
  if (source.annotator.statement(token).word == PyWord::case_)
    return Rewrite::leave("a pattern of `case`, which must be a plain literal or name", true);
  if (is_printed(source, token)) return Rewrite::leave("an f-string prints this expression as it is spelt", true);
  if (is_compiled(source, token))
    return Rewrite::leave("compiled from its source (TorchScript or another compiler), which cannot call the helper");
  return {};
}

}  // namespace accelport
