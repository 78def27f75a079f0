#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/cxx_conditions.h"
#include "syntax/cxx_lexer.h"
#include "syntax/device_words.h"
#include "syntax/reader.h"
#include "syntax/sink.h"

namespace accelport {
namespace {

using Kind = CxxToken::Kind;

template <std::size_t N>
bool listed(std::string_view word, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

constexpr std::string_view kKeywords[] = {"if", "else", "for", "while", "do", "switch", "case", "return", "sizeof", "new", "delete", "const", "constexpr", "static", "inline", "template", "typename", "using", "namespace", "auto", "void", "int", "float", "double", "bool", "char", "unsigned",
                                          "long", "short", "class", "struct", "enum", "union", "public", "private", "protected", "virtual", "override", "noexcept", "operator", "this", "true", "false", "nullptr", "extern", "volatile", "typedef", "throw", "try", "catch", "default", "break", "continue", "goto", "static_cast", "reinterpret_cast", "dynamic_cast", "const_cast", "decltype", "explicit", "friend", "mutable"};
constexpr std::string_view kDeviceWords[] = {"__global__", "__device__", "__host__", "__shared__", "__constant__", "__managed__", "__launch_bounds__", "__grid_constant__", "__syncthreads", "__syncwarp", "__threadfence", "__activemask", "__forceinline__", "__noinline__", "__restrict__", "__ldg", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "asm", "__asm__", "__trap", "clock64", "__nanosleep", "__cluster_dims__"};
constexpr std::string_view kMessageCallees[] = {"printf", "fprintf", "AT_ERROR", "TORCH_WARN", "TORCH_WARN_ONCE", "LOG", "VLOG", "static_assert", "snprintf", "puts", "perror", "AT_CHECK", "TORCH_CHECK_NOT_IMPLEMENTED", "fmt::format"};

bool is_device_word(std::string_view name) {
  if (listed(name, kDeviceWords)) return true;
  if (!name.starts_with("__")) return false;
  return name.starts_with("__shfl") || name.starts_with("__ballot") || name.starts_with("__any") || name.starts_with("__all") || name.starts_with("__match_") || name.starts_with("__reduce_") || name.starts_with("__cvta_") || name.starts_with("__nv_") || name.starts_with("__popc") || name.starts_with("__half2") || name.ends_with("_rn") || name.ends_with("_rz");
}

bool is_macro_name(std::string_view name) {
  bool letter = false;
  for (const char c : name) {
    if (c >= 'a' && c <= 'z') return false;
    letter |= c >= 'A' && c <= 'Z';
  }
  return letter && name.size() >= 3;
}

bool is_message_callee(std::string_view callee) {
  const std::string_view last = callee.substr(callee.rfind(':') == std::string_view::npos ? 0 : callee.rfind(':') + 1);
  return listed(last, kMessageCallees) || listed(callee, kMessageCallees) || last.find("CHECK") != std::string_view::npos || last.find("ASSERT") != std::string_view::npos || last.ends_with("ERROR") || last.ends_with("error");
}

class CxxReader {
 public:
  explicit CxxReader(SiteSink& sink) : sink_(sink), text_(sink.text()), conditions_(sink.input().facts) {}

  void read();

 private:
  struct Bracket {
    char opener = '(';
    std::string callee;          // what is called; "if", "for" … for keywords
    std::string_view first;      // the first argument's text if it is one token
    std::size_t site = SIZE_MAX; // of the callee, to be told its arguments
    std::uint32_t begin = 0;
    int argument = 0;
    bool empty = true;
    bool definition = false;     // a parameter list
    bool condition = false;      // of if or while
  };
  struct Scope {
    Guard guards;
    std::string_view function;
    std::string_view class_name;
    std::size_t brackets;  // open outside of the scope (the body of a lambda in a call)
  };

  void token();
  void comment(Span span);
  void directive();
  void include(const CxxToken& header);
  void macro_condition(std::string_view name, std::size_t begin, std::size_t end, std::string_view condition);
  void define(std::size_t begin);
  void string(Span span);
  void number();
  void template_arguments(std::size_t end);
  void launch();
  void word();
  void using_declaration();
  void chain();
  std::size_t chain_end(std::string& api, std::size_t& last) const;
  std::string expand(std::string api) const;
  void fill_place(Site& site, std::size_t begin, std::size_t end);
  void open_bracket(char opener, std::string callee, std::size_t site, bool definition);
  void close_bracket();
  void punctuation();
  void open_scope();
  void close_scope();
  void control(Guard guard);
  std::size_t outer_brackets() const { return scopes_.empty() ? 0 : scopes_.back().brackets; }
  bool in_bracket() const { return brackets_.size() > outer_brackets(); }
  bool is(std::size_t index, std::string_view what) const { return index < tokens_.size() && at(index) == what; }
  std::string_view at(std::size_t index) const { return slice(text_, tokens_[index].span); }
  bool is_word(std::size_t index) const { return index < tokens_.size() && tokens_[index].kind == Kind::identifier; }
  bool looks_like_definition(std::size_t begin) const;

  SiteSink& sink_;
  std::string_view text_;
  CxxConditions conditions_;
  std::vector<CxxToken> tokens_;
  std::size_t i_ = 0;
  std::vector<Bracket> brackets_;
  std::vector<Scope> scopes_;
  Guard flow_guards_ = Guard::none;     // of if, else, loops
  Guard base_ = Guard::none;            // of the file
  Guard pending_ = Guard::none;         // of the statement behind a condition, until its end
  bool has_pending_ = false;
  Guard last_condition_ = Guard::none;  // for `else`
  std::string_view next_function_;      // named by the parameter list that just closed
  std::string_view next_class_;
  std::string launched_;                // the last chain: what a launch launches
  std::string target_;                  // left side of the statement's assignment
  bool prints_ = false;                 // the statement writes to a stream of messages
  std::string_view class_name_;
  std::map<std::string, std::string, std::less<>> aliases_;
};

void CxxReader::read() {
  tokens_ = lex_cxx(text_, sink_.output().damage);
  if (has(sink_.input().kind.roles, FileRole::device_source)) base_ = Guard::cuda_only_source;
  while (i_ < tokens_.size()) {
    sink_.guards = base_ | conditions_.guards() | flow_guards_ | pending_;
    token();
  }
}

void CxxReader::token() {
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
    case Kind::hash: directive(); break;
    case Kind::string:
      string(token.span);
      ++i_;
      break;
    case Kind::identifier: word(); break;
    case Kind::number: number(); break;
    case Kind::punctuation: punctuation(); break;
    default: ++i_;
  }
}

/// One site per line.
void CxxReader::comment(Span span) {
  if (!sink_.touched(span)) return;
  for (std::uint32_t line = span.begin; line < span.end;) {
    const TextLine one = line_from(text_.substr(0, span.end), line);
    const Span body = trim(text_, one.span);
    if (Site* site = sink_.add(body, SiteKind::comment, Context::none)) site->value = std::string(slice(text_, body));
    line = one.next;
  }
}

void CxxReader::directive() {
  const std::size_t hash = i_++;
  std::size_t end = i_;
  while (end < tokens_.size() && tokens_[end].directive && !tokens_[end].line_start) ++end;
  if (i_ >= end || !is_word(i_)) return;
  const std::string_view name = at(i_);
  const std::size_t begin = ++i_;
  ++sink_.statement;
  if (name == "include" || name == "include_next" || name == "import") {
    if (begin < end) include(tokens_[begin]);
    i_ = end;
  } else if (name == "define") {
    define(begin);  // the body is read as code
  } else if (name == "error" || name == "warning" || name == "pragma" || name == "line" || name == "ident") {
    const Span all{tokens_[hash].span.begin, tokens_[end - 1].span.end};
    if (Site* site = sink_.add(all, SiteKind::directive, Context::statement)) {
      site->keyword = std::string(name);
      site->value = std::string(slice(text_, {tokens_[begin - 1].span.end, all.end}));
      if (name != "pragma") site->flows |= Flow::message;
    }
    i_ = end;
  } else {
    const std::string_view condition = begin < end ? slice(text_, {tokens_[begin].span.begin, tokens_[end - 1].span.end}) : std::string_view();
    macro_condition(name, begin, end, condition);
    conditions_.take(name, condition);
    i_ = end;
  }
}

void CxxReader::include(const CxxToken& header) {
  Site* site = sink_.add(header.span, SiteKind::include, Context::import_module);
  if (site == nullptr) return;
  const std::string_view raw = slice(text_, header.span);
  site->value = std::string(raw.size() > 2 && (raw.front() == '<' || raw.front() == '"') ? raw.substr(1, raw.size() - 2) : raw);
  site->keyword = raw.front() == '<' ? "<" : "\"";
  site->flows |= Flow::path;
}

/// The macros that a condition names.
void CxxReader::macro_condition(std::string_view name, std::size_t begin, std::size_t end, std::string_view condition) {
  for (std::size_t i = begin; i < end; ++i) {
    if (tokens_[i].kind == Kind::comment) comment(tokens_[i].span);
    if (tokens_[i].kind != Kind::identifier || at(i) == "defined") continue;
    Site* site = sink_.add(tokens_[i].span, SiteKind::macro, name == "undef" ? Context::removed : Context::condition);
    if (site == nullptr) continue;
    site->api = std::string(at(i));
    site->keyword = std::string(name);
    site->value = std::string(condition.substr(0, 400));
    const std::size_t open = i + 1 < end && is(i + 1, ")") ? i + 2 : i + 1;
    if (open + 1 < end && tokens_[open].kind == Kind::punctuation) site->first_argument = std::string(at(open)) + std::string(at(open + 1));
  }
}

void CxxReader::define(std::size_t begin) {
  if (!is_word(begin)) return;
  Site* site = sink_.add(tokens_[begin].span, SiteKind::macro, Context::definition);
  if (site != nullptr) {
    site->api = std::string(at(begin));
    site->keyword = "define";
    std::size_t end = begin + 1;
    while (end < tokens_.size() && tokens_[end].directive && !tokens_[end].line_start && end < begin + 40) ++end;
    if (end > begin + 1) site->value = std::string(slice(text_, {tokens_[begin + 1].span.begin, tokens_[end - 1].span.end}));
  }
  i_ = begin + 1;
}

void CxxReader::string(Span span) {
  Site* site = sink_.add(span, SiteKind::string, Context::none);
  if (site == nullptr) return;
  const std::string_view raw = slice(text_, span);
  const std::size_t open = raw.find('"');
  std::string_view value = raw.substr(std::min(open + 1, raw.size()));
  if (value.ends_with('"')) value.remove_suffix(1);
  if (raw.substr(0, open).ends_with('R') && value.find('(') != std::string_view::npos) {
    value.remove_prefix(value.find('(') + 1);
    value = value.substr(0, value.rfind(')'));
  }
  site->value = std::string(value);
  fill_place(*site, i_, i_ + 1);
  const std::string& callee = site->callee;
  if (is_message_callee(callee) || prints_) site->flows |= Flow::message;
  if (callee.ends_with("getenv")) {
    site->flows |= Flow::environment;
    site->api = "env:" + site->value;
  }
  if (callee == "asm" || callee == "__asm__") {
    site->kind = SiteKind::kernel;
    site->api = "asm";
    site->flows |= Flow::source_code;
  }
  if (site->value.ends_with(".cu") || site->value.ends_with(".so") || site->value.find('/') != std::string::npos) site->flows |= Flow::path;
  if (callee.ends_with("Device") || callee.ends_with("device")) site->flows |= Flow::device;
  if (site->value.find("__global__") != std::string::npos) site->flows |= Flow::source_code;
}

/// Warp masks and sizes stand out by the function they are given to.
void CxxReader::number() {
  if (Site* site = sink_.add(tokens_[i_].span, SiteKind::kernel, Context::none)) {
    site->value = std::string(at(i_));
    fill_place(*site, i_, i_ + 1);
  }
  ++i_;
}

void CxxReader::word() {
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
  if (name == "cout" || name == "cerr" || name == "clog") prints_ = true;
  if (listed(name, kKeywords)) {
    ++i_;
    return;
  }
  chain();
}

/// `using a::b::C;`, `namespace x = a::b;` and `using x = a::b;` rename; `using namespace a::b;` is a site only.
void CxxReader::using_declaration() {
  const bool alias = at(i_) == "namespace" || is(i_ + 2, "=");
  ++i_;
  if (is(i_, "namespace")) {
    ++i_;
    return;
  }
  if (!is_word(i_)) return;
  if (alias && is(i_ + 1, "=")) {
    std::size_t last = 0;
    std::string api;
    const std::string name(at(i_));
    if (Site* site = sink_.add(tokens_[i_].span, SiteKind::chain, Context::definition)) site->api = name;
    i_ += 2;
    if (!is_word(i_)) return;
    chain_end(api, last);
    if (api.find("::") != std::string::npos) aliases_[name] = expand(api);
    return;
  }
  std::size_t last = 0;
  std::string api;
  chain_end(api, last);
  const std::size_t mark = api.rfind("::");
  if (mark != std::string::npos && !alias) aliases_[api.substr(mark + 2)] = api;
}

std::string CxxReader::expand(std::string api) const {
  const std::string_view root = std::string_view(api).substr(0, api.find("::"));
  const auto found = aliases_.find(root);
  if (found == aliases_.end()) return api;
  return found->second + api.substr(root.size());
}

/// From `i_` on: the token behind the chain; `last` gets its last word. Members are "?.a.b", qualified names "a::b::c".
std::size_t CxxReader::chain_end(std::string& api, std::size_t& last) const {
  std::size_t i = i_;
  last = i;
  std::string_view root = at(i);
  bool member = false;
  api = std::string(root);
  ++i;
  while (i - i_ < 200) {
    if (is(i, "::") && is_word(i + 1) && !member) {
      api += "::";
      api += at(i + 1);
      last = i + 1;
      i += 2;
      continue;
    }
    std::size_t dot = i;
    if (is(i, "(") && is(i + 1, ")") && (is(i + 2, ".") || is(i + 2, "->")) && (member || api.find("::") == std::string::npos)) dot = i + 2;
    if (is(i, "[") && (is_word(i + 1) || (i + 1 < tokens_.size() && tokens_[i + 1].kind == Kind::number)) && is(i + 2, "]") && (is(i + 3, ".") || is(i + 3, "->"))) dot = i + 3;
    if (!(is(dot, ".") || is(dot, "->")) || !is_word(dot + 1)) break;
    if (!member) api = "?";
    member = true;
    api += '.';
    api += at(dot + 1);
    last = dot + 1;
    i = dot + 2;
  }
  return last + 1;
}

void CxxReader::chain() {
  std::string api;
  std::size_t last = 0;
  const std::size_t begin = i_;
  const std::size_t end = chain_end(api, last);
  std::size_t after = end;
  // A call's template arguments: name<int, 4>(…), name<T><<<…>>>
  if (is(after, "<")) {
    std::size_t close = after + 1;
    while (close < tokens_.size() && close - after < 40 && (is_word(close) || tokens_[close].kind == Kind::number || is(close, "::") || is(close, ",") || is(close, "*") || is(close, "&") || is(close, "."))) ++close;
    if (is(close, ">") && (is(close + 1, "(") || is(close + 1, "<<<"))) after = close + 1;
    if (is(close, ">") && is(close + 1, "<") && is(close + 2, "<<")) after = close + 1;
  }
  const bool launch = is(after, "<<<");
  const bool called = launch || is(after, "(");
  const bool definition = called && looks_like_definition(begin);
  const bool member = api.starts_with("?.");
  if (!member) api = expand(std::move(api));
  const std::string_view name = at(last);
  SiteKind kind = launch || (is_device_word(at(begin)) && begin == last) ? SiteKind::kernel : is_macro_name(name) && begin == last ? SiteKind::macro : SiteKind::chain;
  if (api.starts_with("nvcuda::") || api.find("wmma::") != std::string::npos || api.starts_with("cooperative_groups::") || api.starts_with("cute::") || api.starts_with("cuda::ptx")) kind = SiteKind::kernel;
  std::size_t index = SIZE_MAX;
  if (sink_.touched({tokens_[begin].span.begin, tokens_[end - 1].span.end})) {
    index = sink_.count();
    Site& site = sink_.put({tokens_[begin].span.begin, tokens_[end - 1].span.end}, kind, Context::none);
    site.api = api;
    site.called = called;
    site.class_name = class_name_;
    site.certain_name = member || api.find("::") != std::string::npos || !called;
    fill_place(site, begin, end);
    if (definition) site.context = Context::definition;
    if (called && site.context == Context::none) site.context = Context::called;
    if (launch) site.first_argument = "<<<";
  }
  i_ = end;
  template_arguments(after);
  launched_ = api;
  if (is(i_, "(")) open_bracket('(', api, index, definition);
  if (definition) next_function_ = name;
}

/// The names between a callee's angle brackets, up to the token `end`.
void CxxReader::template_arguments(std::size_t end) {
  while (i_ < end) {
    std::string api;
    std::size_t last = 0;
    const std::size_t next = is_word(i_) ? std::min(chain_end(api, last), end) : i_ + 1;
    if (is_word(i_)) {
      if (Site* site = sink_.add({tokens_[i_].span.begin, tokens_[next - 1].span.end}, SiteKind::chain, Context::none)) site->api = expand(std::move(api));
    } else if (tokens_[i_].kind == Kind::comment) {
      comment(tokens_[i_].span);
    }
    i_ = next;
  }
}

/// `<<<grid, block, shared, stream>>>`: the site of its first token, callee the kernel.
void CxxReader::launch() {
  if (Site* site = sink_.add(tokens_[i_].span, SiteKind::kernel, Context::called)) {
    site->api = "<<<";
    site->callee = launched_;
  }
  ++i_;
}

/// A name with a type in front of it and no function around it declares.
bool CxxReader::looks_like_definition(std::size_t begin) const {
  if (begin == 0 || !sink_.function.empty()) return false;
  const CxxToken& before = tokens_[begin - 1];
  if (in_bracket()) return false;
  const std::string_view text = slice(text_, before.span);
  if (before.kind == Kind::identifier) return text != "return" && text != "else" && text != "new" && text != "define";
  return text == "*" || text == "&" || text == ">";
}

/// What the tokens around [begin, end) say about the place.
void CxxReader::fill_place(Site& site, std::size_t begin, std::size_t end) {
  const std::string_view before = begin > 0 ? at(begin - 1) : std::string_view();
  const std::string_view after = end < tokens_.size() ? at(end) : std::string_view();
  if (before == "==" || before == "!=" || after == "==" || after == "!=") {
    site.context = Context::compared;
    site.flows |= Flow::compared_only;
  } else if (before == "=" || before == "+=") {
    site.context = Context::assigned;
    site.keyword = target_;
  } else if (before == "return") {
    site.context = Context::returned;
  } else if (after == "=") {
    site.context = Context::target;
  } else if (before == "case") {
    site.context = Context::pattern;
  }
  if (!in_bracket()) return;
  const Bracket& bracket = brackets_.back();
  if (bracket.condition) {
    if (site.context == Context::none) site.context = Context::condition;
    return;
  }
  if (site.callee.empty()) site.callee = bracket.callee;
  if (site.context == Context::none) site.context = bracket.definition ? Context::parameter : bracket.opener == '[' ? Context::subscript : bracket.opener == '{' ? Context::element : Context::argument;
  if (bracket.opener == '(' && !bracket.callee.empty()) site.argument = bracket.argument;
}

void CxxReader::open_bracket(char opener, std::string callee, std::size_t site, bool definition) {
  Bracket bracket;
  bracket.opener = opener;
  bracket.callee = std::move(callee);
  bracket.site = site;
  bracket.definition = definition;
  bracket.begin = tokens_[i_].span.end;
  ++i_;
  if (brackets_.size() < 1024) brackets_.push_back(std::move(bracket));
}

void CxxReader::close_bracket() {
  const Bracket bracket = std::move(brackets_.back());
  brackets_.pop_back();
  if (bracket.site != SIZE_MAX && bracket.site < sink_.count()) {
    Site& site = sink_.site(bracket.site);
    site.positional = bracket.empty ? 0 : static_cast<std::uint16_t>(std::min(bracket.argument + 1, 60000));
    if (site.first_argument.empty()) site.first_argument = std::string(bracket.first);
    if (site.first_argument.size() > 1 && site.first_argument.front() == '"') site.first_argument = site.first_argument.substr(1, site.first_argument.size() - 2);
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
void CxxReader::control(Guard guard) {
  pending_ |= guard;
  has_pending_ = true;
}

void CxxReader::punctuation() {
  const std::string_view text = at(i_);
  if (text == "<<<") return launch();
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

void CxxReader::open_scope() {
  if (in_bracket() && i_ > 0 && (is(i_ - 1, ",") || is(i_ - 1, "(") || is_word(i_ - 1) || is(i_ - 1, "="))) {
    const std::string callee = is_word(i_ - 1) ? std::string(at(i_ - 1)) : brackets_.back().callee;
    return open_bracket('{', callee, SIZE_MAX, false);
  }
  if (scopes_.size() < 4096) scopes_.push_back({flow_guards_, sink_.function, class_name_, brackets_.size()});
  flow_guards_ |= pending_;
  pending_ = Guard::none;
  has_pending_ = false;
  if (sink_.function.empty() && !next_function_.empty()) sink_.function = next_function_;
  else if (!next_class_.empty() && sink_.function.empty()) class_name_ = next_class_;
  next_function_ = next_class_ = {};
  ++i_;
}

void CxxReader::close_scope() {
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

}  // namespace

void read_cxx(const ReadInput& input, ReadOutput& output) {
  SiteSink sink(input, output);
  CxxReader(sink).read();
  sink.guards = Guard::none;
  sink.function = {};
  sink.finish(SiteKind::text);
}

}  // namespace accelport
