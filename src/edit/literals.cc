// String literals: the device word in them becomes a call of the helper.

#include <algorithm>
#include <utility>

#include "edit/rewrite.h"
#include "syntax/python_strings.h"

namespace accelport {
namespace {

constexpr std::string_view kType = "accelerator_type";

/// A word in a literal's text and the function that gives it.
struct Word {
  Span span;
  std::string function;
};

class LiteralRewriter {
 public:
  LiteralRewriter(const RewriteContext& context, std::uint32_t token, const HelperFunction& function)
      : context_(context), source_(context.source), token_(token), function_(function) {}

  Rewrite run();

 private:
  Rewrite plain();
  Rewrite formatted();
  Rewrite variable();
  void call();
  void as_fstring();
  void as_sum();
  std::vector<Word> words_in(Span body) const;
  bool is_concatenated() const;
  bool in_hole() const;
  void add(Span span, std::string text) { out_.drafts.push_back({span, std::move(text), literal_.end}); }
  std::string use(const Word& word);
  std::string opening() const { return std::string(source_.text.substr(literal_.begin, body_.begin - literal_.begin)); }
  std::string closing() const { return std::string(source_.text.substr(body_.end, literal_.end - body_.end)); }

  const RewriteContext& context_;
  const PythonSource& source_;
  std::uint32_t token_;
  const HelperFunction& function_;
  Span literal_;
  Span body_;
  std::string prefix_;
  std::vector<Word> words_;
  Rewrite out_;
};

Rewrite LiteralRewriter::run() {
  const PyToken& token = source_.token(token_);
  literal_ = {token.begin, token.end};
  if (token.kind == PyKind::fstring_begin) return formatted();
  if (token.kind != PyKind::string) return Rewrite::leave("not a literal that could be read");
  const StringParts parts = split_string(source_.text_of(token_));
  prefix_ = ascii_lower(parts.prefix);
  const auto begin = static_cast<std::uint32_t>(parts.body.data() - source_.text.data());
  body_ = {begin, begin + static_cast<std::uint32_t>(parts.body.size())};
  if (prefix_.find('b') != std::string::npos)
    return Rewrite::leave("a bytes literal; the helper answers with text", true);
  return plain();
}

/// The words that a literal function stands for; a list of back ends names devices too.
std::vector<Word> LiteralRewriter::words_in(Span body) const {
  std::vector<Word> found;
  const std::string_view text = slice(source_.text, body);
  std::vector<const HelperFunction*> functions{&function_};
  if (const HelperFunction* type = context_.table.find(kType); type != nullptr && function_.name != kType)
    functions.push_back(type);
  for (const HelperFunction* function : functions) {
    const std::string& word = function->stands_for.front();
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size())) {
      const auto begin = body.begin + static_cast<std::uint32_t>(at);
      found.push_back({{begin, begin + static_cast<std::uint32_t>(word.size())}, function->name});
    }
  }
  std::sort(found.begin(), found.end(), [](const Word& a, const Word& b) { return a.span.begin < b.span.begin; });
  return found;
}

bool LiteralRewriter::is_concatenated() const {
  const PyKind next = source_.token(token_ + 1).kind;
  return source_.mark(token_).first != token_ || next == PyKind::string || next == PyKind::fstring_begin;
}

/// Inside an interpolation of an f-string, where quotes of the same kind cannot stand before Python 3.12.
bool LiteralRewriter::in_hole() const {
  for (std::uint32_t i = source_.mark(token_).opener; i != kNoToken; i = source_.mark(i).opener)
    if (source_.token(i).kind == PyKind::field_open) return true;
  return false;
}

std::string LiteralRewriter::use(const Word& word) {
  out_.functions.insert(word.function);
  return context_.call(word.function);
}

Rewrite LiteralRewriter::plain() {
  if (function_.kind == HelperKind::variable) return variable();
  words_ = words_in(body_);
  if (words_.empty())
    return Rewrite::leave("the name is put together from pieces, or spelt otherwise than torch spells it");
  const bool whole = words_.size() == 1 && words_[0].span == body_;
  const bool joined = is_concatenated();
  if (whole && !joined) {
    call();
  } else if (!in_hole() && !source_.python2) {
    as_fstring();
  } else if (!joined) {
    as_sum();
  } else {
    return Rewrite::leave("a part of several literals in a place where no f-string can stand");
  }
  return std::move(out_);
}

void LiteralRewriter::call() { add(literal_, spaced(source_.text, literal_, use(words_[0]))); }

/// f"…" with the word in braces and the literal's own braces doubled. Nothing that the user wrote is written again.
void LiteralRewriter::as_fstring() {
  const bool unicode = prefix_ == "u";
  const Span front{literal_.begin, literal_.begin + (unicode ? 1 : 0)};
  add(front, spaced(source_.text, {front.begin, front.begin}, "f"));
  if (out_.drafts.back().text.back() == ' ') out_.drafts.back().text.pop_back();
  const std::string_view text = source_.text;
  const bool raw = prefix_.find('r') != std::string::npos;
  auto word = words_.begin();
  for (std::uint32_t i = body_.begin; i < body_.end;) {
    if (word != words_.end() && i == word->span.begin) {
      add(word->span, "{" + use(*word) + "}");
      i = word++->span.end;
    } else if (!raw && text.substr(i, 3) == "\\N{") {
      i = static_cast<std::uint32_t>(std::min<std::size_t>(text.find('}', i), body_.end - 1)) + 1;
    } else {
      if (text[i] == '{' || text[i] == '}') add({i, i}, std::string(1, text[i]));
      i += !raw && text[i] == '\\' && text[i + 1] != '{' && text[i + 1] != '}' ? 2 : 1;
    }
  }
}

/// (accelerator.accelerator_type() + ":0")
void LiteralRewriter::as_sum() {
  const bool first_piece = words_.front().span.begin != body_.begin;
  const bool last_piece = words_.back().span.end != body_.end;
  if (first_piece) add({literal_.begin, literal_.begin}, spaced(source_.text, {literal_.begin, literal_.begin}, "("));
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const bool first = i == 0 && !first_piece;
    const bool last = i + 1 == words_.size() && !last_piece;
    const Span span{first ? literal_.begin : words_[i].span.begin, last ? literal_.end : words_[i].span.end};
    add(span, (first ? "(" : closing() + " + ") + use(words_[i]) + (last ? ")" : " + " + opening()));
  }
  if (last_piece) add({literal_.end, literal_.end}, ")");
}

/// "NCCL_DEBUG" is the platform's variable of the same kind.
Rewrite LiteralRewriter::variable() {
  const std::string& prefix = function_.stands_for.front();
  const std::string value(slice(source_.text, body_));
  if (!value.starts_with(prefix) || is_concatenated())
    return Rewrite::leave("more than the variable's name; a person must write what the other library needs");
  const std::string rest = value.substr(prefix.size());
  for (const Platform* platform : context_.platforms) {
    const Counterpart* counterpart = platform->find_counterpart("variable", value);
    if (counterpart != nullptr && counterpart->target != platform->collective_prefix + rest)
      return Rewrite::leave("no variable of " + platform->title + " is known to mean the same");
  }
  const std::string quote = closing();
  out_.functions.insert(function_.name);
  add(literal_, spaced(source_.text, literal_, context_.use(function_.name) + "(" + quote + rest + quote + ")"));
  return std::move(out_);
}

/// In an f-string only the word itself is edited.
Rewrite LiteralRewriter::formatted() {
  const std::uint32_t last = source_.mark(token_).mate;
  if (last == kNoToken) return Rewrite::leave("an f-string that cannot be read");
  if (function_.kind == HelperKind::variable)
    return Rewrite::leave("more than the variable's name; a person must write what the other library needs");
  if (ascii_lower(source_.text_of(token_)).find('t') != std::string::npos)
    return Rewrite::leave("a template string, which is no text yet", true);
  literal_.end = source_.token(last).end;
  for (std::uint32_t i = token_ + 1; i < last; ++i) {
    const PyToken& token = source_.token(i);
    if (token.kind != PyKind::fstring_text || source_.mark(i).mate != token_ ||
        source_.mark(i).opener != source_.mark(token_).opener)
      continue;
    for (const Word& word : words_in({token.begin, token.end})) add(word.span, "{" + use(word) + "}");
  }
  if (out_.drafts.empty()) return Rewrite::leave("the name is put together from pieces");
  return std::move(out_);
}

}  // namespace

Rewrite rewrite_string(const RewriteContext& context, std::uint32_t token, const HelperFunction& function) {
  return LiteralRewriter(context, token, function).run();
}

}  // namespace accelport
