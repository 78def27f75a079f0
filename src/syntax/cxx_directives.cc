#include "syntax/cxx_walker.h"

namespace accelport {

void CxxWalker::directive() {
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
    const std::string_view condition =
        begin < end ? slice(text_, {tokens_[begin].span.begin, tokens_[end - 1].span.end}) : std::string_view();
    macro_condition(name, begin, end, condition);
    conditions_.take(name, condition);
    i_ = end;
  }
}

void CxxWalker::include(const CxxToken& header) {
  Site* site = sink_.add(header.span, SiteKind::include, Context::import_module);
  if (site == nullptr) return;
  const std::string_view raw = slice(text_, header.span);
  site->value =
      std::string(raw.size() > 2 && (raw.front() == '<' || raw.front() == '"') ? raw.substr(1, raw.size() - 2) : raw);
  site->keyword = raw.front() == '<' ? "<" : "\"";
  site->flows |= Flow::path;
}

/// The macros that a condition names.
void CxxWalker::macro_condition(std::string_view name, std::size_t begin, std::size_t end, std::string_view condition) {
  for (std::size_t i = begin; i < end; ++i) {
    if (tokens_[i].kind == Kind::comment) comment(tokens_[i].span);
    if (tokens_[i].kind != Kind::identifier || at(i) == "defined") continue;
    Site* site = sink_.add(tokens_[i].span, SiteKind::macro, name == "undef" ? Context::removed : Context::condition);
    if (site == nullptr) continue;
    site->api = std::string(at(i));
    site->keyword = std::string(name);
    site->value = std::string(condition.substr(0, 400));
    const std::size_t open = i + 1 < end && is(i + 1, ")") ? i + 2 : i + 1;
    if (open + 1 < end && tokens_[open].kind == Kind::punctuation)
      site->first_argument = std::string(at(open)) + std::string(at(open + 1));
  }
}

void CxxWalker::define(std::size_t begin) {
  if (!is_word(begin)) return;
  Site* site = sink_.add(tokens_[begin].span, SiteKind::macro, Context::definition);
  if (site != nullptr) {
    site->api = std::string(at(begin));
    site->keyword = "define";
    std::size_t end = begin + 1;
    while (end < tokens_.size() && tokens_[end].directive && !tokens_[end].line_start && end < begin + 40) ++end;
    if (end > begin + 1)
      site->value = std::string(slice(text_, {tokens_[begin + 1].span.begin, tokens_[end - 1].span.end}));
  }
  i_ = begin + 1;
}

}  // namespace accelport
