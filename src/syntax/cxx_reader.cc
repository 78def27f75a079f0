#include <algorithm>
#include <string>
#include <string_view>

#include "syntax/cxx_walker.h"
#include "syntax/device_words.h"
#include "syntax/listed.h"
#include "syntax/reader.h"

namespace accelport {
namespace {

constexpr std::string_view kKeywords[] = {
    "if",           "else",       "for",       "while",     "do",        "switch",   "case",        "return",
    "sizeof",       "new",        "delete",    "const",     "constexpr", "static",   "inline",      "template",
    "typename",     "using",      "namespace", "auto",      "void",      "int",      "float",       "double",
    "bool",         "char",       "unsigned",  "long",      "short",     "class",    "struct",      "enum",
    "union",        "public",     "private",   "protected", "virtual",   "override", "noexcept",    "operator",
    "this",         "true",       "false",     "nullptr",   "extern",    "volatile", "typedef",     "throw",
    "try",          "catch",      "default",   "break",     "continue",  "goto",     "static_cast", "reinterpret_cast",
    "dynamic_cast", "const_cast", "decltype",  "explicit",  "friend",    "mutable"};
}  // namespace

void CxxWalker::read() {
  tokens_ = lex_cxx(text_, sink_.output().damage);
  if (has(sink_.input().kind.roles, FileRole::device_source)) base_ = Guard::cuda_only_source;
  while (i_ < tokens_.size()) {
    sink_.guards = base_ | conditions_.guards() | flow_guards_ | pending_;
    token();
  }
}

void CxxWalker::token() {
  const CxxToken& token = tokens_[i_];
  if (in_bracket() && token.kind != Kind::comment && brackets_.back().empty && at(i_) != ")") {
    brackets_.back().empty = false;
    const bool single = is(i_ + 1, ",") || is(i_ + 1, ")");
    if (single) brackets_.back().first = at(i_);
  }
  switch (token.kind) {
    case Kind::comment:
      comment(token.span);
      ++i_;
      break;
    case Kind::hash:
      directive();
      break;
    case Kind::string:
      string(token.span);
      ++i_;
      break;
    case Kind::identifier:
      word();
      break;
    case Kind::number:
      number();
      break;
    case Kind::punctuation:
      punctuation();
      break;
    default:
      ++i_;
  }
}

/// One site per line.
void CxxWalker::comment(Span span) {
  if (!sink_.touched(span)) return;
  for (std::uint32_t line = span.begin; line < span.end;) {
    const TextLine one = line_from(text_.substr(0, span.end), line);
    const Span body = trim(text_, one.span);
    if (Site* site = sink_.add(body, SiteKind::comment, Context::none)) site->value = std::string(slice(text_, body));
    line = one.next;
  }
}

void CxxWalker::word() {
  const std::string_view name = at(i_);
  if (name == "asm" || name == "__asm__" || name == "__asm") {
    if (Site* site = sink_.add(tokens_[i_].span, SiteKind::kernel, Context::called)) site->api = "asm";
    ++i_;
    while (is(i_, "volatile") || is(i_, "__volatile__")) ++i_;
    if (is(i_, "(")) open_bracket('(', "asm", SIZE_MAX, false);
    return;
  }
  if (name == "if" || name == "while" || name == "for" || name == "switch") {
    ++i_;
    if (is(i_, "constexpr")) ++i_;
    if (is(i_, "(")) open_bracket('(', std::string(name), SIZE_MAX, false);
    if (in_bracket()) brackets_.back().condition = true;
    return;
  }
  if (name == "else") {
    ++i_;
    if (!is(i_, "if")) control(guard_of_else(last_condition_));
    return;
  }
  if (name == "class" || name == "struct") {
    if (is_word(i_ + 1)) next_class_ = at(i_ + 1);
    ++i_;
    return;
  }
  if (name == "using" || name == "namespace") return using_declaration();
  if (listed(name, kKeywords)) {
    ++i_;
    return;
  }
  chain();
}

void CxxWalker::open_bracket(char opener, std::string callee, std::size_t site, bool definition) {
  Bracket bracket;
  bracket.opener = opener;
  bracket.callee = std::move(callee);
  bracket.site = site;
  bracket.definition = definition;
  bracket.begin = tokens_[i_].span.end;
  ++i_;
  if (brackets_.size() < 1024) brackets_.push_back(std::move(bracket));
}

void CxxWalker::close_bracket() {
  const Bracket bracket = std::move(brackets_.back());
  brackets_.pop_back();
  if (bracket.site != SIZE_MAX && bracket.site < sink_.count()) {
    Site& site = sink_.site(bracket.site);
    site.positional = bracket.empty ? 0 : static_cast<std::uint16_t>(std::min(bracket.argument + 1, 60000));
    if (site.first_argument.empty()) site.first_argument = std::string(bracket.first);
    if (site.first_argument.size() > 1 && site.first_argument.front() == '"')
      site.first_argument = site.first_argument.substr(1, site.first_argument.size() - 2);
  }
  if (bracket.condition) {
    const Guard guard = bracket.callee == "for" || bracket.callee == "while" ? Guard::loop : Guard::none;
    const std::string_view condition = slice(text_, {bracket.begin, tokens_[i_].span.begin});
    last_condition_ = guard_of_expression(condition, sink_.input().facts);
    ++i_;
    control(guard | last_condition_);
    return;
  }
  ++i_;
}

/// The statement or block that follows has `guard`.
void CxxWalker::control(Guard guard) {
  pending_ |= guard;
  has_pending_ = true;
}

void CxxWalker::punctuation() {
  const std::string_view text = at(i_);
  if (text == "<<<") return launch();
  if (text == ">>>") return end_launch();
  if (text == "(" || text == "[") return open_bracket(text[0], {}, SIZE_MAX, false);
  if (text == ")" || text == "]") {
    const char opener = text == ")" ? '(' : '[';
    if (in_bracket() && brackets_.back().opener == opener) return close_bracket();
  } else if (text == ",") {
    if (in_bracket()) ++brackets_.back().argument;
  } else if (text == "{") {
    return open_scope();
  } else if (text == "}") {
    return close_scope();
  } else if (text == "=") {
    if (i_ > 0 && is_word(i_ - 1) && !in_bracket()) target_ = std::string(at(i_ - 1));
  } else if (text == ";") {
    ++sink_.statement;
    target_.clear();
    prints_ = false;
    if (!in_bracket()) {
      next_function_ = next_class_ = {};
      if (has_pending_) pending_ = Guard::none, has_pending_ = false;
    }
  }
  ++i_;
}

void CxxWalker::open_scope() {
  if (in_bracket() && i_ > 0 && (is(i_ - 1, ",") || is(i_ - 1, "(") || is_word(i_ - 1) || is(i_ - 1, "="))) {
    const std::string callee = is_word(i_ - 1) ? std::string(at(i_ - 1)) : brackets_.back().callee;
    return open_bracket('{', callee, SIZE_MAX, false);
  }
  if (scopes_.size() < 4096) scopes_.push_back({flow_guards_, sink_.function, class_name_, brackets_.size()});
  flow_guards_ |= pending_;
  pending_ = Guard::none;
  has_pending_ = false;
  if (sink_.function.empty() && !next_function_.empty())
    sink_.function = next_function_;
  else if (!next_class_.empty() && sink_.function.empty())
    class_name_ = next_class_;
  next_function_ = next_class_ = {};
  ++i_;
}

void CxxWalker::close_scope() {
  if (in_bracket() && brackets_.back().opener == '{') return close_bracket();
  ++i_;
  ++sink_.statement;
  brackets_.resize(std::min(brackets_.size(), outer_brackets()));  // what is open here was never closed
  if (scopes_.empty()) {
    sink_.function = {};
    return;
  }
  flow_guards_ = scopes_.back().guards;
  sink_.function = scopes_.back().function;
  class_name_ = scopes_.back().class_name;
  scopes_.pop_back();
}

void read_cxx(const ReadInput& input, ReadOutput& output) {
  SiteSink sink(input, output);
  CxxWalker(sink).read();
  sink.guards = Guard::none;
  sink.function = {};
  sink.finish(SiteKind::text);
}

}  // namespace accelport
