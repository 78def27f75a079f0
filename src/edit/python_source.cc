#include "edit/python_source.h"

#include <algorithm>
#include <utility>

#include "syntax/python_strings.h"

namespace accelport {
namespace {

bool is_open(const PyToken& token) {
  return token.kind == PyKind::op && token.op2 == 0 && (token.op == '(' || token.op == '[' || token.op == '{');
}

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

}  // namespace

PythonSource::PythonSource(std::string_view given) : text(given), newline("\n") {
  lex_python(text, lexed);
  annotator.start(lexed);
  find_blocks(lexed, blocks);
  const std::size_t end = text.find_first_of("\r\n");
  if (end != std::string_view::npos) newline = text.substr(end, text.substr(end, 2) == "\r\n" ? 2 : 1);
  read_lines();
  read_imports();
}

void PythonSource::read_lines() {
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < lexed.lines.size(); ++i) {
    const PyLine& line = lexed.lines[i];
    annotator.need_line(i);
    while (!open.empty() && lexed.lines[open.back()].indent >= line.indent) open.pop_back();
    parent.push_back(open.empty() ? kNone : open.back());
    if (line.header) open.push_back(i);
    const PyToken& next = lexed.tokens[line.first + 1];
    const PyWord word = lexed.tokens[line.first].word();
    const bool value = next.kind == PyKind::string || next.kind == PyKind::number || next.kind == PyKind::name;
    python2 = python2 || (word == PyWord::print_ && value && line.last > line.first + 1) ||
              (word == PyWord::except_ && lexed.is_op(line.first + 2, ',') && lexed.is_op(line.first + 4, ':'));
  }
}

std::uint32_t PythonSource::token_at(std::uint32_t offset) const {
  const auto found = std::lower_bound(lexed.tokens.begin(), lexed.tokens.end(), offset,
                                      [](const PyToken& t, std::uint32_t at) { return t.begin < at; });
  if (found == lexed.tokens.end() || found->begin != offset || found->kind == PyKind::newline) return kNoToken;
  return static_cast<std::uint32_t>(found - lexed.tokens.begin());
}

std::string_view PythonSource::text_of(std::uint32_t first, std::uint32_t last) const {
  return text.substr(token(first).begin, token(last).end - token(first).begin);
}

bool PythonSource::is_variable(std::uint32_t i) const {
  if (!annotator.is_plain_name(i) || (i > 0 && lexed.is_op(i - 1, '.'))) return false;
  const PyFrame frame = mark(i).frame;
  const bool keyword = (frame == PyFrame::call || frame == PyFrame::bases) && lexed.is_op(i + 1, '=') &&
                       (lexed.is_op(i - 1, ',') || lexed.is_op(i - 1, '('));
  return !keyword;
}

const ImportStatement* PythonSource::import_at(std::uint32_t i) const {
  auto next = std::upper_bound(imports.begin(), imports.end(), i,
                               [](std::uint32_t t, const ImportStatement& s) { return t < s.first; });
  if (next == imports.begin()) return nullptr;
  --next;
  return i <= next->last ? &*next : nullptr;
}

bool PythonSource::arguments(std::uint32_t open, std::vector<CallArgument>& out) const {
  const std::uint32_t close = mark(open).mate;
  if (!lexed.is_op(open, '(') || close == kNoToken) return false;
  std::uint32_t first = open + 1;
  const auto finish = [&](std::uint32_t end) {
    CallArgument argument{first, first, end, {}, lexed.is_op(first, '*') || lexed.is_op(first, '*', '*')};
    if (token(first).kind == PyKind::name && lexed.is_op(first + 1, '=')) {
      argument.keyword = text_of(first);
      argument.begin = first + 2;
    }
    if (argument.begin < end) out.push_back(argument);
    first = end + 1;
  };
  for (std::uint32_t i = open + 1; i < close; ++i) {
    if (is_open(token(i)) || token(i).kind == PyKind::fstring_begin) {
      const std::uint32_t mate = mark(i).mate;
      if (mate == kNoToken || mate >= close) return false;
      i = mate;
    } else if (lexed.is_op(i, ',') && (mark(i).flags & PyMark::lambda_parameter) == 0) {
      finish(i);
    }
  }
  finish(close);
  return true;
}

bool PythonSource::begins_line(std::uint32_t i, std::string_view& indent) const {
  std::uint32_t begin = token(i).begin;
  while (begin > 0 && !is_line_end(text[begin - 1])) --begin;
  indent = text.substr(begin, token(i).begin - begin);
  return trim(indent).empty();
}

bool PythonSource::ends_line(std::uint32_t i, std::uint32_t& end) const {
  std::size_t at = text.find_first_of("\r\n", token(i).end);
  if (at == std::string_view::npos) at = text.size();
  end = static_cast<std::uint32_t>(at);
  return i + 1 >= lexed.tokens.size() || token(i + 1).kind == PyKind::newline;
}

std::uint32_t PythonSource::next_line(std::uint32_t offset) const {
  std::size_t at = text.find_first_of("\r\n", offset);
  if (at == std::string_view::npos) return static_cast<std::uint32_t>(text.size());
  return static_cast<std::uint32_t>(at + (text.substr(at, 2) == "\r\n" ? 2 : 1));
}

bool PythonSource::stands_under(std::uint32_t i, PyWord header) const {
  for (std::uint32_t line = annotator.line_of(i); line != kNone; line = parent[line])
    if (token(lexed.lines[line].first).word() == header) return true;
  return false;
}

bool PythonSource::stands_under(std::uint32_t i, std::string_view word) const {
  for (std::uint32_t line = annotator.line_of(i); line != kNone; line = parent[line]) {
    const PyLine& header = lexed.lines[line];
    for (std::uint32_t t = header.first; header.header && t < header.last; ++t)
      if (text_of(t) == word) return true;
  }
  return false;
}

bool PythonSource::at_module_level(std::uint32_t i) const {
  const std::uint32_t line = annotator.line_of(i);
  return parent[line] == kNone && lexed.lines[line].first == i;
}

bool PythonSource::is_exported(std::string_view name) const {
  const std::uint32_t all = lexed.names.find("__all__");
  if (all == 0) return false;
  for (std::uint32_t t = lexed.names.first(all); t != kNoToken; t = token(t).next) {
    const PyLine& line = lexed.lines[annotator.line_of(t)];
    for (std::uint32_t i = line.first; i < line.last; ++i)
      if (token(i).kind == PyKind::string && split_string(text_of(i)).body == name) return true;
  }
  return false;
}

void PythonSource::read_imports() {
  for (const PyLine& line : lexed.lines) {
    if (!line.imports) continue;
    for (std::uint32_t i = line.first; i < line.last; ++i) {
      const PyWord word = token(i).word();
      if (annotator.statement(i).first != i || (word != PyWord::import_ && word != PyWord::from_)) continue;
      std::uint32_t end = i;
      while (end < line.last && !lexed.is_op(end, ';')) ++end;
      word == PyWord::import_ ? read_import(i, end) : read_from(i, end);
    }
  }
}

std::uint32_t PythonSource::read_path(std::uint32_t i, std::uint32_t end, std::string& path) const {
  for (; i < end && (lexed.is_op(i, '.') || lexed.is_op(i, '.', '.')); ++i) path += text_of(i);
  while (i < end && token(i).kind == PyKind::name && token(i).word() != PyWord::import_) {
    path += text_of(i++);
    if (i >= end || !lexed.is_op(i, '.')) break;
    path += '.';
    ++i;
  }
  return i;
}

std::uint32_t PythonSource::read_alias(std::uint32_t i, std::uint32_t end, ImportedName& name) const {
  if (i + 1 >= end || token(i).word() != PyWord::as_) return i;
  name.aliased = true;
  name.bound = name.last = i + 1;
  return i + 2;
}

void PythonSource::read_import(std::uint32_t first, std::uint32_t end) {
  ImportStatement statement;
  statement.first = first;
  statement.last = end - 1;
  for (std::uint32_t i = first + 1; i < end;) {
    ImportedName name;
    name.first = name.bound = i;
    const std::uint32_t behind = read_path(i, end, name.path);
    if (behind == i) break;
    name.last = behind - 1;
    i = read_alias(behind, end, name) + 1;
    statement.names.push_back(std::move(name));
  }
  if (!statement.names.empty()) imports.push_back(std::move(statement));
}

void PythonSource::read_from(std::uint32_t first, std::uint32_t end) {
  ImportStatement statement;
  statement.first = first;
  statement.last = end - 1;
  statement.from = true;
  std::uint32_t i = read_path(first + 1, end, statement.module);
  if (i >= end || token(i).word() != PyWord::import_) return;
  if (lexed.is_op(++i, '(')) ++i;
  const bool joined = statement.module.ends_with('.');
  while (i < end && !lexed.is_op(i, ')')) {
    ImportedName name;
    name.first = name.last = name.bound = i;
    name.star = lexed.is_op(i, '*');
    name.path = statement.module;
    name.path += joined ? "" : ".";
    name.path += text_of(i);
    i = read_alias(i + 1, end, name) + 1;
    statement.names.push_back(std::move(name));
  }
  if (!statement.names.empty()) imports.push_back(std::move(statement));
}

}  // namespace accelport
