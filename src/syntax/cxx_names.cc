#include "syntax/cxx_walker.h"
#include "syntax/listed.h"

#include <algorithm>

namespace accelport {
namespace {

constexpr std::string_view kDeviceWords[] = {
    "__global__",        "__device__",        "__host__",        "__shared__", "__constant__",  "__managed__",
    "__launch_bounds__", "__grid_constant__", "__syncthreads",   "__syncwarp", "__threadfence", "__activemask",
    "__forceinline__",   "__noinline__",      "__restrict__",    "__ldg",      "threadIdx",     "blockIdx",
    "blockDim",          "gridDim",           "warpSize",        "asm",        "__asm__",       "__trap",
    "clock64",           "__nanosleep",       "__cluster_dims__"};
constexpr std::string_view kMessageCallees[] = {"printf",
                                                "fprintf",
                                                "AT_ERROR",
                                                "TORCH_WARN",
                                                "TORCH_WARN_ONCE",
                                                "LOG",
                                                "VLOG",
                                                "static_assert",
                                                "snprintf",
                                                "puts",
                                                "perror",
                                                "AT_CHECK",
                                                "TORCH_CHECK_NOT_IMPLEMENTED",
                                                "fmt::format"};

bool is_device_word(std::string_view name) {
  if (listed(name, kDeviceWords)) return true;
  if (!name.starts_with("__")) return false;
  return name.starts_with("__shfl") || name.starts_with("__ballot") || name.starts_with("__any") ||
         name.starts_with("__all") || name.starts_with("__match_") || name.starts_with("__reduce_") ||
         name.starts_with("__cvta_") || name.starts_with("__nv_") || name.starts_with("__popc") ||
         name.starts_with("__half2") || name.ends_with("_rn") || name.ends_with("_rz");
}

bool is_device_library(std::string_view api) {
  return api.starts_with("nvcuda::") || api.starts_with("wmma::") || api.starts_with("cooperative_groups::") ||
         api.starts_with("cute::") || api.starts_with("cuda::ptx");
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
  return listed(last, kMessageCallees) || listed(callee, kMessageCallees) ||
         last.find("CHECK") != std::string_view::npos || last.find("ASSERT") != std::string_view::npos ||
         last.ends_with("ERROR") || last.ends_with("error");
}

}  // namespace

void CxxWalker::string(Span span) {
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
  if (site->value.ends_with(".cu") || site->value.ends_with(".so") || site->value.find('/') != std::string::npos)
    site->flows |= Flow::path;
  if (callee.ends_with("Device") || callee.ends_with("device")) site->flows |= Flow::device;
  if (site->value.find("__global__") != std::string::npos) site->flows |= Flow::source_code;
}

/// Warp masks and sizes stand out by the function they are given to.
void CxxWalker::number() {
  if (Site* site = sink_.add(tokens_[i_].span, SiteKind::kernel, Context::none)) {
    site->value = std::string(at(i_));
    fill_place(*site, i_, i_ + 1);
  }
  ++i_;
}

/// `using a::b::C;`, `namespace x = a::b;` and `using x = a::b;` rename; `using namespace a::b;` is a site only.
void CxxWalker::using_declaration() {
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
    const bool is_namespace = at(i_ - 1) == "namespace";
    if (Site* site = sink_.add(tokens_[i_].span, SiteKind::chain, Context::definition)) site->api = name;
    i_ += 2;
    if (!is_word(i_)) return;
    chain_end(api, last);
    if (is_namespace || api.find("::") != std::string::npos) aliases_[name] = expand(api);
    return;
  }
  std::size_t last = 0;
  std::string api;
  chain_end(api, last);
  const std::size_t mark = api.rfind("::");
  if (mark != std::string::npos && !alias) aliases_[api.substr(mark + 2)] = api;
}

std::string CxxWalker::expand(std::string api) const {
  const std::string_view root = std::string_view(api).substr(0, api.find("::"));
  const auto found = aliases_.find(root);
  if (found == aliases_.end()) return api;
  return found->second + api.substr(root.size());
}

/// From `i_` on: the token behind the chain; `last` gets its last word. Members are "?.a.b", qualified names "a::b::c".
std::size_t CxxWalker::chain_end(std::string& api, std::size_t& last) const {
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
    if (is(i, "(") && is(i + 1, ")") && (is(i + 2, ".") || is(i + 2, "->")) &&
        (member || api.find("::") == std::string::npos))
      dot = i + 2;
    if (is(i, "[") && (is_word(i + 1) || (i + 1 < tokens_.size() && tokens_[i + 1].kind == Kind::number)) &&
        is(i + 2, "]") && (is(i + 3, ".") || is(i + 3, "->")))
      dot = i + 3;
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

void CxxWalker::chain() {
  std::string api;
  std::size_t last = 0;
  const std::size_t begin = i_;
  const std::size_t end = chain_end(api, last);
  std::size_t after = end;
  // A call's template arguments: name<int, 4>(…), name<T><<<…>>>
  if (is(after, "<")) {
    std::size_t close = after + 1;
    while (close < tokens_.size() && close - after < 40 &&
           (is_word(close) || tokens_[close].kind == Kind::number || is(close, "::") || is(close, ",") ||
            is(close, "*") || is(close, "&") || is(close, ".")))
      ++close;
    if (is(close, ">") && (is(close + 1, "(") || is(close + 1, "<<<"))) after = close + 1;
    if (is(close, ">") && is(close + 1, "<") && is(close + 2, "<<")) after = close + 1;
  }
  const bool launch = is(after, "<<<");
  const bool called = launch || is(after, "(");
  const bool definition = called && !is_device_word(at(begin)) && looks_like_definition(begin);
  if (begin > 0 && (is(begin - 1, ".") || is(begin - 1, "->"))) {  // the root is an expression: `(x).is_cuda()`
    api = "?." + std::string(at(begin)) + (api.starts_with("?.") ? api.substr(1) : std::string());
  }
  const bool member = api.starts_with("?.");
  if (!member) api = expand(std::move(api));
  const std::string_view name = at(last);
  SiteKind kind = launch || (is_device_word(at(begin)) && begin == last) ? SiteKind::kernel
                  : is_macro_name(name) && begin == last                 ? SiteKind::macro
                                                                         : SiteKind::chain;
  if (is_device_library(api)) kind = SiteKind::kernel;
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
  if (name == "cout" || name == "cerr" || name == "clog") prints_ = true;
  if (launch) launched_ = {api, index};
  if (is(i_, "(")) open_bracket('(', api, index, definition);
  if (definition) next_function_ = name;
}

/// The names between a callee's angle brackets, up to the token `end`.
void CxxWalker::template_arguments(std::size_t end) {
  while (i_ < end) {
    std::string api;
    std::size_t last = 0;
    const std::size_t next = is_word(i_) ? std::min(chain_end(api, last), end) : i_ + 1;
    if (is_word(i_)) {
      if (Site* site = sink_.add({tokens_[i_].span.begin, tokens_[next - 1].span.end}, SiteKind::chain, Context::none))
        site->api = expand(std::move(api));
    } else if (tokens_[i_].kind == Kind::comment) {
      comment(tokens_[i_].span);
    }
    i_ = next;
  }
}

/// `<<<grid, block, shared, stream>>>`: the site of its first token, callee the kernel.
void CxxWalker::launch() {
  if (Site* site = sink_.add(tokens_[i_].span, SiteKind::kernel, Context::called)) {
    site->api = "<<<";
    site->callee = launched_.callee;
  }
  ++i_;
}

/// Behind `>>>` stand the kernel's own arguments.
void CxxWalker::end_launch() {
  ++i_;
  if (!launched_.callee.empty() && is(i_, "(")) open_bracket('(', launched_.callee, launched_.site, false);
  launched_ = {};
}

/// A name with a type in front of it and no function around it declares.
bool CxxWalker::looks_like_definition(std::size_t begin) const {
  if (begin == 0 || tokens_[begin].directive || !sink_.function.empty()) return false;
  const CxxToken& before = tokens_[begin - 1];
  if (in_bracket()) return false;
  const std::string_view text = slice(text_, before.span);
  if (before.kind == Kind::identifier) return text != "return" && text != "else" && text != "new" && text != "define";
  return text == "*" || text == "&" || text == ">" || text == ")";
}

/// What the tokens around [begin, end) say about the place.
void CxxWalker::fill_place(Site& site, std::size_t begin, std::size_t end) {
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
  if (site.context == Context::none)
    site.context = bracket.definition      ? Context::parameter
                   : bracket.opener == '[' ? Context::subscript
                   : bracket.opener == '{' ? Context::element
                                           : Context::argument;
  if (bracket.opener == '(' && !bracket.callee.empty()) site.argument = bracket.argument;
}

}  // namespace accelport
