// Strings by their value; in f-strings, what stands for a string becomes a part of the text.

#include <algorithm>
#include <utility>

#include "prove/canonicaliser.h"
#include "syntax/python_strings.h"

namespace accelport {
namespace {

struct PrefixFlags {
  bool raw = false;
  bool bytes = false;
  bool verbatim = false;  // a template, which is no string
};

PrefixFlags prefix_of(std::string_view literal) {
  PrefixFlags flags;
  for (const char c : split_string(literal).prefix) {
    const char lower = ascii_lower(c);
    flags.raw = flags.raw || lower == 'r';
    flags.bytes = flags.bytes || lower == 'b';
    flags.verbatim = flags.verbatim || lower == 't';
  }
  return flags;
}

/// A character by its name is no text that another literal could have.
std::string named_mark(std::string_view text, bool raw) {
  return !raw && text.find("\\N{") != std::string_view::npos ? std::string(1, kVerbatim) + "N" : std::string();
}

}  // namespace

std::uint32_t Canonicaliser::emit_string(std::uint32_t i, std::uint32_t end, Tokens& out) {
  std::string value;
  bool bytes = false;
  bool verbatim = false;
  const std::uint32_t begin = i;
  while (i < end && !verbatim) {
    const PyToken& token = lexed_.tokens[i];
    if (token.kind != PyKind::string && token.kind != PyKind::fstring_begin) break;
    const std::string_view literal = lexed_.text_of(i);
    const PrefixFlags flags = prefix_of(literal);
    bytes = bytes || flags.bytes;
    verbatim = flags.verbatim;
    if (verbatim) break;
    if (token.kind == PyKind::fstring_begin) {
      i = emit_fstring(i, value);
      continue;
    }
    std::string text;
    append_string_value(literal, text);
    value += named_mark(literal, flags.raw) + escaped_value(text);
    ++i;
  }
  if (verbatim) {
    while (i < end && (lexed_.tokens[i].kind == PyKind::string || lexed_.tokens[i].kind == PyKind::fstring_begin)) {
      const std::uint32_t mate = annotator_.mark(i).mate;
      i = lexed_.tokens[i].kind == PyKind::fstring_begin && mate != kNoToken ? mate + 1 : i + 1;
    }
    out.push_back(kVerbatim + escaped_value(raw(begin, i)));
    return i;
  }
  out.push_back(std::string(1, kStringMark) + (bytes ? 'b' : 's') + value);
  return i;
}

/// The f-string that begins at `i`; gives the token behind its end.
std::uint32_t Canonicaliser::emit_fstring(std::uint32_t i, std::string& value) {
  const bool is_raw = prefix_of(lexed_.text_of(i)).raw;
  const std::uint32_t last = annotator_.mark(i).mate;
  if (last == kNoToken) {
    problem(i, "an f-string that cannot be read");
    return i + 1;
  }
  for (++i; i < last;) {
    if (lexed_.tokens[i].kind == PyKind::field_open) {
      i = emit_hole(i, value);
      continue;
    }
    const std::string_view body = lexed_.text_of(i);
    std::string text;
    append_string_body(body, is_raw, false, true, text);
    value += named_mark(body, is_raw) + escaped_value(text);
    ++i;
  }
  return last + 1;
}

/// An interpolation; gives the token behind its closing brace. One that is a string and nothing else is text.
std::uint32_t Canonicaliser::emit_hole(std::uint32_t open, std::string& value) {
  std::uint32_t close = open + 1;
  std::uint32_t ends = close;  // the expression's end: a conversion, a format or the brace
  bool ended = false;
  int depth = 0;
  for (int fields = 1;; ++close) {
    const PyToken& token = lexed_.tokens[close];
    if (token.kind == PyKind::newline) break;
    if (token.kind == PyKind::field_open) ++fields;
    if (token.kind == PyKind::field_close && --fields == 0) break;
    const bool op = token.kind == PyKind::op && fields == 1;
    if (op && (token.op == '(' || token.op == '[' || token.op == '{')) ++depth;
    if (op && (token.op == ')' || token.op == ']' || token.op == '}')) --depth;
    if (!ended && op && depth == 0 && token.op2 == 0 && (token.op == '!' || token.op == ':')) {
      ended = true;
      ends = close;
    }
  }
  if (!ended) ends = close;
  if (ends > open + 1 && lexed_.is_op(ends - 1, '=')) {
    // {expression=} prints the expression as it is spelt.
    value += kHoleBegin;
    value += kVerbatim + escaped_value(lexed_.text.substr(lexed_.tokens[open].end,
                                                          lexed_.tokens[close].begin - lexed_.tokens[open].end));
    value += kHoleEnd;
    return close + 1;
  }
  Tokens tokens;
  emit(open + 1, close, tokens);
  if (tokens.size() == 1 && tokens[0].size() >= 2 && tokens[0][0] == kStringMark && tokens[0][1] == 's') {
    value += tokens[0].substr(2);
    return close + 1;
  }
  value += kHoleBegin;
  for (const std::string& token : tokens) value += token + kJoin;
  value += kHoleEnd;
  return close + 1;
}

/// `(accelerator_type() + ":0")`, the form for Pythons without f-strings, is one literal.
std::optional<std::uint32_t> Canonicaliser::emit_sum(std::uint32_t open, Tokens& out) {
  if (annotator_.mark(open + 1).frame != PyFrame::group || annotator_.mark(open).mate == kNoToken) return std::nullopt;
  const std::uint32_t close = annotator_.mark(open).mate;
  std::string value;
  bool helper = false;
  std::size_t parts = 0;
  for (std::uint32_t i = open + 1; i <= close; ++parts) {
    if (const auto text = literal(i, i)) {
      value += *text;
      helper = true;
    } else if (lexed_.tokens[i].kind == PyKind::string) {
      const PrefixFlags flags = prefix_of(lexed_.text_of(i));
      if (flags.bytes || flags.verbatim || lexed_.tokens[i + 1].kind == PyKind::string ||
          !named_mark(lexed_.text_of(i), flags.raw).empty())
        return std::nullopt;
      append_string_value(lexed_.text_of(i++), value);
    } else {
      return std::nullopt;
    }
    if (i == close) {
      ++parts;
      break;
    }
    if (!lexed_.is_op(i++, '+')) return std::nullopt;
  }
  if (!helper || parts < 2 || !may_substitute(open + 1)) return std::nullopt;
  note_use(open + 1);
  out.push_back(std::string(1, kStringMark) + 's' + escaped_value(value));
  return close + 1;
}

}  // namespace accelport
