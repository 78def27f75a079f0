#include <algorithm>
#include <cstring>

#include "syntax/python_sites.h"
#include "syntax/reader.h"

namespace accelport {
namespace {

/// Finds what becomes a site in one file.
class Targets {
 public:
  Targets(const ReadInput& input, PyAnnotator& annotator, PyNames& names)
      : input_(input), annotator_(annotator), lexed_(annotator.lexed()), names_(names) {}

  /// All targets, sorted by begin, then by wider first.
  std::vector<PyTarget>& find();

 private:
  void from_hits();
  void from_hit(const Hit& hit);
  void from_bound_names();
  void from_split_strings();
  void add_chain(std::uint32_t token);
  void add_string(std::uint32_t token, std::uint32_t offset);
  void add_docstring(std::uint32_t token, std::uint32_t offset);
  void add_comment(const Span& comment);
  bool is_docstring(std::uint32_t token) const;
  void follow_alias(std::uint32_t first);
  void add(std::uint32_t begin, std::uint32_t end, std::uint32_t token, SiteKind kind);

  const ReadInput& input_;
  PyAnnotator& annotator_;
  const PyLexed& lexed_;
  PyNames& names_;
  std::vector<PyTarget> targets_;
  std::size_t token_ = 0;  // the first whose end lies behind the last hit
  std::size_t comment_ = 0;
  Span doc_line_;  // the last docstring line added
};

void Targets::add(std::uint32_t begin, std::uint32_t end, std::uint32_t token, SiteKind kind) {
  if (!targets_.empty() && targets_.back().begin == begin && targets_.back().kind == kind) return;
  targets_.push_back({begin, end, token, kind, false});
}

void Targets::add_comment(const Span& comment) {
  // The line in front tells where the comment stands.
  const auto line = std::upper_bound(lexed_.lines.begin(), lexed_.lines.end(), comment.begin,
                                     [](std::uint32_t offset, const PyLine& l) { return offset < l.begin; });
  const std::uint32_t token = line == lexed_.lines.begin() ? kNoToken : (line - 1)->first;
  add(comment.begin, comment.end, token, SiteKind::comment);
}

/// `alias = torch.cuda` makes `alias` a name whose uses count.
void Targets::follow_alias(std::uint32_t first) {
  const std::uint32_t last = annotator_.mark(first).last;
  if (first < 2 || !lexed_.is_op(first - 1, '=') || lexed_.tokens[last + 1].kind != PyKind::newline) return;
  const std::uint32_t target = first - 2;
  if (annotator_.is_plain_name(target) && annotator_.statement(first).first == target) names_.follow_alias(target);
}

void Targets::add_chain(std::uint32_t token) {
  annotator_.need(token);
  const PyMark& mark = annotator_.mark(token);
  follow_alias(mark.first);
  add(lexed_.tokens[mark.first].begin, lexed_.tokens[mark.last].end, mark.first, SiteKind::chain);
}

/// A string that stands alone documents something.
bool Targets::is_docstring(std::uint32_t token) const {
  if (lexed_.tokens[token].kind != PyKind::string) return false;
  return annotator_.place(token).context == Context::statement;
}

void Targets::add_docstring(std::uint32_t token, std::uint32_t offset) {
  const PyToken& literal = lexed_.tokens[token];
  if (doc_line_.contains(offset)) return;
  const char* text = lexed_.text.data();
  std::uint32_t begin = offset, end = offset;
  while (begin > literal.begin && text[begin - 1] != '\n' && text[begin - 1] != '\r') --begin;
  while (end < literal.end && text[end] != '\n' && text[end] != '\r') ++end;
  doc_line_ = {begin, end};
  while (begin < end && is_ascii_space(text[begin])) ++begin;
  while (end > begin && is_ascii_space(text[end - 1])) --end;
  if (begin < end) add(begin, end, token, SiteKind::docstring);  // a hit of blanks only is not documentation
}

void Targets::add_string(std::uint32_t token, std::uint32_t offset) {
  annotator_.need(token);
  if (lexed_.tokens[token].kind == PyKind::fstring_text || lexed_.tokens[token].kind == PyKind::fstring_end) {
    const std::uint32_t begin = annotator_.mark(token).mate;
    if (begin == kNoToken) return;
    token = begin;
  }
  if (is_docstring(token)) return add_docstring(token, offset);
  std::uint32_t last = token;
  if (lexed_.tokens[token].kind == PyKind::fstring_begin && annotator_.mark(token).mate != kNoToken) {
    last = annotator_.mark(token).mate;
  }
  add(lexed_.tokens[token].begin, lexed_.tokens[last].end, token, SiteKind::string);
}

void Targets::from_hit(const Hit& hit) {
  while (comment_ < lexed_.comments.size() && lexed_.comments[comment_].end <= hit.offset) ++comment_;
  if (comment_ < lexed_.comments.size() && lexed_.comments[comment_].contains(hit.offset)) {
    return add_comment(lexed_.comments[comment_]);
  }
  while (token_ < lexed_.tokens.size() && lexed_.tokens[token_].end <= hit.offset) ++token_;
  for (std::size_t t = token_; t < lexed_.tokens.size() && lexed_.tokens[t].begin < hit.offset + hit.size; ++t) {
    switch (lexed_.tokens[t].kind) {
      case PyKind::name:
        return add_chain(static_cast<std::uint32_t>(t));
      case PyKind::string:
      case PyKind::fstring_begin:
      case PyKind::fstring_text:
      case PyKind::fstring_end:
        return add_string(static_cast<std::uint32_t>(t), hit.offset);
      default:
        break;
    }
  }
}

void Targets::from_hits() {
  for (const Hit& hit : input_.hits) from_hit(hit);
}

void Targets::from_bound_names() {
  std::vector<std::uint32_t> uses;
  names_.bound_uses(uses);
  for (const std::uint32_t token : uses) {
    annotator_.need(token);
    const Context context = annotator_.place(token, token).context;
    const bool chain = annotator_.mark(token).last != token;
    if (!chain && (context == Context::target || context == Context::parameter || context == Context::definition ||
                   context == Context::keyword_name)) {
      continue;
    }
    add_chain(token);
  }
}

std::string lower_value(const PyLexed& lexed, std::uint32_t token) {
  const std::string_view text = lexed.text_of(token);
  const std::size_t quote = text.find_first_of("'\"");
  std::string value = ascii_lower(text.substr(std::min(quote + 1, text.size())));
  if (!value.empty()) value.pop_back();
  return value;
}

/// "cu" "da": the word is only in the whole.
void Targets::from_split_strings() {
  constexpr std::uint32_t kMaxPart = 24;
  constexpr std::string_view kWords[] = {"cuda", "nccl"};
  const auto short_string = [&](std::size_t t) {
    return t < lexed_.tokens.size() && lexed_.tokens[t].kind == PyKind::string &&
           lexed_.tokens[t].end - lexed_.tokens[t].begin <= kMaxPart;
  };
  for (std::uint32_t t = 0; t + 1 < lexed_.tokens.size(); ++t) {
    if (lexed_.tokens[t].kind != PyKind::string) continue;
    const std::uint32_t next = lexed_.is_op(t + 1, '+') ? t + 2 : t + 1;
    if (!short_string(t) || !short_string(next)) continue;
    const std::string a = lower_value(lexed_, t), b = lower_value(lexed_, next);
    for (const std::string_view word : kWords) {
      const bool apart = a.find(word) == std::string::npos && b.find(word) == std::string::npos;
      if (!apart || (a + b).find(word) == std::string::npos) continue;
      annotator_.need(t);
      targets_.push_back({lexed_.tokens[t].begin, lexed_.tokens[t].end, t, SiteKind::string, true});
    }
  }
}

std::vector<PyTarget>& Targets::find() {
  from_hits();
  from_bound_names();
  from_split_strings();
  std::sort(targets_.begin(), targets_.end(), [](const PyTarget& a, const PyTarget& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  const auto same = [](const PyTarget& a, const PyTarget& b) {
    return a.begin == b.begin && a.end == b.end && a.kind == b.kind;
  };
  targets_.erase(std::unique(targets_.begin(), targets_.end(), same), targets_.end());
  return targets_;
}

}  // namespace

void read_python(const ReadInput& input, ReadOutput& output) {
  if (input.hits.empty()) return;
  thread_local PyLexed lexed;
  thread_local PyBlocks blocks;
  thread_local PyAnnotator annotator;
  lex_python(input.text, lexed);
  output.damage += lexed.damage;
  find_blocks(lexed, blocks);
  annotator.start(lexed);
  PyNames names(annotator, blocks, input);
  PyGuards guards(annotator, blocks, names, input.facts);
  PyFlows flows(annotator, blocks, names, input.facts);
  Targets finder(input, annotator, names);
  const std::vector<PyTarget>& targets = finder.find();
  PySites maker(annotator, blocks, names, guards, flows);
  const std::size_t first = output.sites.size();
  output.sites.reserve(first + targets.size());
  for (const PyTarget& target : targets) maker.make(target, output.sites);
  maker.finish(output.sites);
}

}  // namespace accelport
