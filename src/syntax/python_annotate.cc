#include "syntax/python_annotate.h"

#include <algorithm>

namespace accelport {

/// The forward pass over one line.
class PyAnnotator::Pass {
 public:
  Pass(PyAnnotator& owner, std::uint32_t line);
  void run();

 private:
  struct Frame {
    std::uint32_t opener = kNoToken;
    PyFrame kind = PyFrame::top;
    bool annotation = false;
    std::uint16_t flags = 0;
    std::uint16_t lambdas = 0;
    std::uint32_t commas = 0;
    std::uint32_t item = 0;
    std::uint32_t region = 0;
    std::uint32_t around = kNoToken;   // region that a lambda is the end of
    std::uint32_t keyword = kNoToken;  // last "=" or "**" of a call
  };

  void start_statement(std::uint32_t i);
  bool is_soft_keyword(std::uint32_t i) const;
  std::uint32_t new_region(std::uint32_t begin);
  void split(std::uint32_t separator);
  void add_operator(std::uint32_t token, PyWord word);
  void name(std::uint32_t i);
  void keyword(std::uint32_t i, PyWord word);
  void string(std::uint32_t i);
  void op(std::uint32_t i);
  void open(std::uint32_t i, char c);
  PyFrame bracket_kind(std::uint32_t i, char c, bool trailer) const;
  void close(std::uint32_t i);
  void pop(std::uint32_t closer);
  void comma(std::uint32_t i);
  void colon(std::uint32_t i);
  void assign(std::uint32_t i);
  void close_chains();
  bool has_previous(std::uint32_t i) const { return i > first_; }
  Frame& top() { return frames_.back(); }

  PyAnnotator& owner_;
  const PyLexed& lexed_;
  PyMark* marks_;
  std::vector<Frame>& frames_;
  std::vector<std::uint32_t>& fstrings_;
  std::uint32_t first_;
  std::uint32_t last_;
  bool header_;
  bool fresh_ = true;  // the next token begins a statement
  bool soft_ = false;  // the statement begins with `match` or `case` as a keyword
  PyWord word_ = PyWord::none;
};

namespace {
std::vector<std::uint32_t>& fstring_stack() {
  thread_local std::vector<std::uint32_t> stack;
  stack.clear();
  return stack;
}
}  // namespace

PyAnnotator::Pass::Pass(PyAnnotator& owner, std::uint32_t line)
    : owner_(owner),
      lexed_(*owner.lexed_),
      marks_(owner.marks_.get()),
      frames_([]() -> std::vector<Frame>& {
        thread_local std::vector<Frame> frames;
        frames.clear();
        return frames;
      }()),
      fstrings_(fstring_stack()),
      first_(lexed_.lines[line].first),
      last_(lexed_.lines[line].last),
      header_(lexed_.lines[line].header) {}

std::uint32_t PyAnnotator::Pass::new_region(std::uint32_t begin) {
  owner_.regions_.push_back({begin, begin, kNoToken, kNoToken});
  return static_cast<std::uint32_t>(owner_.regions_.size() - 1);
}

/// Ends the expression in front of `separator` and begins the next one behind it. A lambda's parts are expressions
/// inside the one that the lambda ends.
void PyAnnotator::Pass::split(std::uint32_t separator) {
  owner_.regions_[top().region].end = separator;
  if (top().around != kNoToken && top().lambdas == 0) {
    owner_.regions_[top().around].end = separator;
    top().around = kNoToken;
  }
  top().region = new_region(separator + 1);
}

void PyAnnotator::Pass::add_operator(std::uint32_t token, PyWord word) {
  PyRegion& region = owner_.regions_[top().region];
  const auto number = static_cast<std::uint32_t>(owner_.operators_.size());
  owner_.operators_.push_back({token, region.last_op, kNoToken, word});
  if (region.last_op == kNoToken) {
    region.first_op = number;
  } else {
    owner_.operators_[region.last_op].after = number;
  }
  region.last_op = number;
}

bool PyAnnotator::Pass::is_soft_keyword(std::uint32_t i) const {
  const PyWord word = lexed_.tokens[i].word();
  if (!header_ && word == PyWord::match_) return false;
  if (word != PyWord::match_ && word != PyWord::case_) return false;
  const PyToken& next = lexed_.tokens[i + 1];
  if (next.kind == PyKind::newline) return false;
  if (next.kind != PyKind::op) return true;
  return next.op2 == 0 ? std::string_view("([{-*").find(next.op) != std::string_view::npos : false;
}

void PyAnnotator::Pass::start_statement(std::uint32_t i) {
  fresh_ = false;
  Frame& frame = top();
  frame.flags = 0;
  frame.commas = 0;
  frame.lambdas = 0;
  frame.item = i;
  const PyToken& token = lexed_.tokens[i];
  word_ = token.kind == PyKind::name && token.word() <= PyWord::yield_ ? token.word() : PyWord::none;
  soft_ = token.kind == PyKind::name && is_soft_keyword(i);
  if (soft_) word_ = token.word();
  owner_.statements_.push_back({i, kNoToken, kNoToken, word_, first_, last_});
  owner_.regions_[frame.region].begin = i;
}

void PyAnnotator::Pass::run() {
  Frame bottom;
  bottom.region = new_region(first_);
  bottom.item = first_;
  frames_.push_back(bottom);
  for (std::uint32_t i = first_; i < last_; ++i) {
    if (fresh_ && top().kind == PyFrame::top) start_statement(i);
    const Frame& frame = top();
    PyMark& mark = marks_[i];
    mark.opener = frame.opener;
    mark.mate = kNoToken;
    mark.primary = mark.first = mark.last = i;
    mark.statement = static_cast<std::uint32_t>(owner_.statements_.size() - 1);
    mark.region = frame.region;
    mark.item = frame.item;
    mark.op = owner_.regions_[frame.region].last_op;
    mark.commas = frame.commas;
    mark.flags = static_cast<std::uint16_t>(frame.flags | (frame.annotation ? PyMark::annotation : 0));
    mark.frame = frame.kind;
    switch (lexed_.tokens[i].kind) {
      case PyKind::name:
        name(i);
        break;
      case PyKind::string:
        string(i);
        break;
      case PyKind::fstring_begin:
        string(i);
        fstrings_.push_back(i);
        break;
      case PyKind::fstring_text:
        if (!fstrings_.empty()) mark.mate = fstrings_.back();
        break;
      case PyKind::fstring_end:
        if (!fstrings_.empty()) {
          const std::uint32_t begin = fstrings_.back();
          fstrings_.pop_back();
          mark.mate = begin;
          marks_[begin].mate = i;
          mark.primary = marks_[begin].primary;
          mark.first = marks_[begin].first;
        }
        break;
      case PyKind::field_open: {
        if (!fstrings_.empty()) mark.first = fstrings_.back();
        Frame field;
        field.opener = i;
        field.kind = PyFrame::field;
        field.item = i + 1;
        field.region = new_region(i + 1);
        frames_.push_back(field);
        break;
      }
      case PyKind::field_close:
        pop(i);
        break;
      case PyKind::op:
        op(i);
        break;
      default:
        break;
    }
  }
  while (frames_.size() > 1) pop(last_);
  owner_.regions_[top().region].end = last_;
  if (top().around != kNoToken) owner_.regions_[top().around].end = last_;
  close_chains();
}

void PyAnnotator::Pass::name(std::uint32_t i) {
  const PyWord word = lexed_.tokens[i].word();
  if (has_previous(i) && lexed_.is_op(i - 1, '.') && word != PyWord::import_) {
    if (i >= first_ + 2 && owner_.ends_primary(i - 2)) marks_[i].primary = marks_[i - 2].primary;
    if (i >= first_ + 2 && owner_.is_plain_name(i - 2)) marks_[i].first = marks_[i - 2].first;
    return;
  }
  if (word <= PyWord::yield_) {
    if (word != PyWord::none) keyword(i, word);
  } else if (i == owner_.statements_.back().first && (soft_ || word == PyWord::print_ || word == PyWord::exec_)) {
    const PyToken& next = lexed_.tokens[i + 1];
    if (soft_ || next.kind != PyKind::op || next.op == '>') split(i);
  }
}

void PyAnnotator::Pass::keyword(std::uint32_t i, PyWord word) {
  Frame& frame = top();
  switch (word) {
    case PyWord::lambda_:
      if (frame.around == kNoToken) frame.around = frame.region;
      ++frame.lambdas;
      frame.flags |= PyMark::lambda_parameter;
      frame.flags &= static_cast<std::uint16_t>(~PyMark::lambda_body);
      split(i);
      break;
    case PyWord::for_:
      frame.flags |= PyMark::for_target;
      if (frame.kind != PyFrame::top) frame.flags |= PyMark::comprehension;
      split(i);
      break;
    case PyWord::in_:
      if ((frame.flags & PyMark::for_target) != 0) {
        marks_[i].flags |= PyMark::for_in;
        frame.flags &= static_cast<std::uint16_t>(~PyMark::for_target);
        split(i);
      } else {
        add_operator(i, PyWord::none);
      }
      break;
    case PyWord::is_:
      add_operator(i, PyWord::none);
      break;
    case PyWord::and_:
    case PyWord::or_:
    case PyWord::else_:
      add_operator(i, word);
      break;
    case PyWord::if_:
      if (i == owner_.statements_.back().first || (frame.flags & PyMark::comprehension) != 0) {
        split(i);
      } else {
        add_operator(i, word);
      }
      break;
    case PyWord::def_:
    case PyWord::class_:
      if (word_ == PyWord::async_ || i == owner_.statements_.back().first) {
        word_ = word;
        owner_.statements_.back().word = word;
      }
      split(i);
      break;
    case PyWord::not_:
    case PyWord::await_:
      break;
    default:
      split(i);
  }
}

void PyAnnotator::Pass::string(std::uint32_t i) {
  if (!has_previous(i)) return;
  const PyKind before = lexed_.tokens[i - 1].kind;
  if ((before == PyKind::string || before == PyKind::fstring_end) && marks_[i - 1].opener == marks_[i].opener) {
    marks_[i].first = marks_[i - 1].first;
    marks_[i].primary = marks_[i - 1].primary;
  }
}

void PyAnnotator::Pass::op(std::uint32_t i) {
  const PyToken& token = lexed_.tokens[i];
  const char c = token.op;
  if (token.op2 == 0) {
    switch (c) {
      case '(':
      case '[':
      case '{':
        open(i, c);
        return;
      case ')':
      case ']':
      case '}':
        close(i);
        return;
      case ',':
        comma(i);
        return;
      case ':':
        colon(i);
        return;
      case '=':
        assign(i);
        return;
      case ';':
        if (top().kind == PyFrame::top) {
          split(i);
          fresh_ = true;
        }
        return;
      case '<':
      case '>':
        add_operator(i, PyWord::none);
        return;
      default:
        return;
    }
  }
  if (c == '-' && token.op2 == '>') {
    split(i);
    if (top().kind == PyFrame::top && word_ == PyWord::def_) {
      top().flags |= PyMark::annotation | PyMark::returns;
    }
  } else if (owner_.is_assignment(i)) {
    assign(i);
  } else if (c == ':') {
    split(i);
  } else if (token.op2 == '=' || (c == '<' && token.op2 == '>')) {
    add_operator(i, PyWord::none);
  } else if (c == '*' && token.op2 == '*' && top().kind == PyFrame::call &&
             !(has_previous(i) && owner_.ends_primary(i - 1))) {
    marks_[i].mate = top().keyword;
    top().keyword = i;
  }
}

PyFrame PyAnnotator::Pass::bracket_kind(std::uint32_t i, char c, bool trailer) const {
  const Frame& frame = frames_.back();
  const bool definition = frame.kind == PyFrame::top && (frame.flags & PyMark::returns) == 0;
  if (c == '{') return PyFrame::brace;
  const bool target = (frame.flags & PyMark::for_target) != 0 || frame.kind == PyFrame::target;
  if (target && (c == '(' || !trailer)) return PyFrame::target;
  if (c == '[') {
    if (!trailer) return PyFrame::list;
    // `def f[T]` and `class C[T]` hold type parameters.
    const bool types = definition && (word_ == PyWord::def_ || word_ == PyWord::class_) && i >= first_ + 2 &&
                       owner_.keyword(i - 2) != PyWord::none;
    return types ? PyFrame::list : PyFrame::subscript;
  }
  if (!trailer) return PyFrame::group;
  if (definition && word_ == PyWord::def_) return PyFrame::parameters;
  if (definition && word_ == PyWord::class_) return PyFrame::bases;
  return PyFrame::call;
}

void PyAnnotator::Pass::open(std::uint32_t i, char c) {
  const bool after_soft = soft_ && i == owner_.statements_.back().first + 1;
  const bool trailer = has_previous(i) && c != '{' && owner_.ends_primary(i - 1) && !after_soft;
  if (trailer) marks_[i].primary = marks_[i - 1].primary;
  Frame inner;
  inner.opener = i;
  inner.kind = bracket_kind(i, c, trailer);
  inner.annotation = top().annotation || (top().flags & PyMark::annotation) != 0;
  inner.item = i + 1;
  inner.region = new_region(i + 1);
  frames_.push_back(inner);
}

/// Ends the innermost bracket at `closer`, which is the line's end if the bracket is never closed.
void PyAnnotator::Pass::pop(std::uint32_t closer) {
  if (frames_.size() < 2) return;
  const Frame inner = top();
  frames_.pop_back();
  owner_.regions_[inner.region].end = closer;
  if (inner.around != kNoToken) owner_.regions_[inner.around].end = closer;
  PyMark& opener = marks_[inner.opener];
  opener.last = inner.keyword;  // an operator has no chain: see last_keyword
  if (closer == last_) {
    opener.mate = kNoToken;
    return;
  }
  opener.mate = closer;
  const Frame& frame = top();
  PyMark& mark = marks_[closer];
  mark.mate = inner.opener;
  mark.primary = opener.primary;
  mark.opener = frame.opener;
  mark.frame = frame.kind;
  mark.region = frame.region;
  mark.item = frame.item;
  mark.op = owner_.regions_[frame.region].last_op;
  mark.flags = static_cast<std::uint16_t>(frame.flags | (frame.annotation ? PyMark::annotation : 0));
  const bool empty = closer == inner.opener + 1;
  const bool trailing = !empty && lexed_.is_op(closer - 1, ',');
  mark.commas = empty ? 0 : inner.commas + (trailing ? 0 : 1);
}

void PyAnnotator::Pass::close(std::uint32_t i) {
  if (frames_.size() > 1 && top().kind != PyFrame::field) pop(i);
}

void PyAnnotator::Pass::comma(std::uint32_t i) {
  Frame& frame = top();
  split(i);
  if (frame.lambdas != 0 && (frame.flags & PyMark::lambda_parameter) != 0) {
    frame.flags &= static_cast<std::uint16_t>(~PyMark::has_default);
    frame.item = i + 1;
    return;
  }
  ++frame.commas;
  frame.item = i + 1;
  frame.lambdas = 0;
  unsigned reset = PyMark::lambda_parameter | PyMark::lambda_body | PyMark::colon | PyMark::has_default;
  if (frame.kind == PyFrame::parameters) reset |= PyMark::annotation;
  frame.flags &= static_cast<std::uint16_t>(~reset);
}

void PyAnnotator::Pass::colon(std::uint32_t i) {
  Frame& frame = top();
  if (frame.lambdas != 0) {
    split(i);
    if (--frame.lambdas == 0) frame.flags &= static_cast<std::uint16_t>(~PyMark::lambda_parameter);
    frame.flags |= PyMark::lambda_body;
    return;
  }
  split(i);
  frame.flags |= PyMark::colon;
  if (frame.kind == PyFrame::parameters) {
    if ((frame.flags & PyMark::has_default) == 0) frame.flags |= PyMark::annotation;
    return;
  }
  if (frame.kind != PyFrame::top) return;
  switch (word_) {
    case PyWord::if_:
    case PyWord::elif_:
    case PyWord::else_:
    case PyWord::for_:
    case PyWord::while_:
    case PyWord::with_:
    case PyWord::try_:
    case PyWord::except_:
    case PyWord::finally_:
    case PyWord::def_:
    case PyWord::class_:
    case PyWord::async_:
    case PyWord::match_:
    case PyWord::case_:
      frame.flags = 0;
      fresh_ = true;
      return;
    default:
      break;
  }
  if (word_ == PyWord::none && owner_.statements_.back().assign == kNoToken) {
    frame.flags |= PyMark::annotation;
    owner_.statements_.back().annotation = i;
  }
}

void PyAnnotator::Pass::assign(std::uint32_t i) {
  Frame& frame = top();
  frame.flags |= PyMark::has_default;
  frame.flags &= static_cast<std::uint16_t>(~PyMark::annotation);
  if (frame.kind == PyFrame::call || frame.kind == PyFrame::bases) {
    marks_[i].mate = frame.keyword;
    frame.keyword = i;
  } else if (frame.kind == PyFrame::top && frame.lambdas == 0) {
    owner_.statements_.back().assign = i;
  }
  split(i);
}

/// Chains and concatenations know their begin; here each of their tokens learns the end.
void PyAnnotator::Pass::close_chains() {
  for (std::uint32_t i = last_; i-- > first_;) {
    const PyKind kind = lexed_.tokens[i].kind;
    if (kind == PyKind::name) {
      if (i + 2 < last_ && lexed_.is_op(i + 1, '.') && lexed_.tokens[i + 2].kind == PyKind::name &&
          marks_[i + 2].first != i + 2) {
        marks_[i].last = marks_[i + 2].last;
      }
    } else if (kind == PyKind::string || kind == PyKind::fstring_begin) {
      std::uint32_t end = i;
      if (kind == PyKind::fstring_begin) end = marks_[i].mate == kNoToken ? last_ - 1 : marks_[i].mate;
      marks_[i].last = end;
      if (end + 1 < last_) {
        const PyKind next = lexed_.tokens[end + 1].kind;
        if ((next == PyKind::string || next == PyKind::fstring_begin) && marks_[end + 1].opener == marks_[i].opener) {
          marks_[i].last = marks_[end + 1].last;
        }
      }
    }
  }
}

void PyAnnotator::start(const PyLexed& lexed) {
  lexed_ = &lexed;
  if (lexed.tokens.size() > capacity_) {
    capacity_ = lexed.tokens.size() + lexed.tokens.size() / 2;
    marks_ = std::make_unique_for_overwrite<PyMark[]>(capacity_);
  }
  done_.assign(lexed.lines.size(), 0);
  statements_.clear();
  regions_.clear();
  operators_.clear();
}

std::uint32_t PyAnnotator::line_of(std::uint32_t token) const {
  const auto after = std::upper_bound(lexed_->lines.begin(), lexed_->lines.end(), token,
                                      [](std::uint32_t t, const PyLine& line) { return t < line.first; });
  return static_cast<std::uint32_t>(after - lexed_->lines.begin()) - 1;
}

void PyAnnotator::need_line(std::uint32_t line) {
  if (done_[line] != 0) return;
  done_[line] = 1;
  Pass(*this, line).run();
}

PyWord PyAnnotator::keyword(std::uint32_t token) const {
  if (token >= lexed_->tokens.size()) return PyWord::none;
  const PyWord word = lexed_->tokens[token].word();
  if (word == PyWord::none || word > PyWord::yield_) return PyWord::none;
  if (word == PyWord::import_) return word;  // `from . import x`: no attribute has this name
  return token > 0 && lexed_->is_op(token - 1, '.') ? PyWord::none : word;
}

bool PyAnnotator::is_plain_name(std::uint32_t token) const {
  return token < lexed_->tokens.size() && lexed_->tokens[token].kind == PyKind::name && keyword(token) == PyWord::none;
}

bool PyAnnotator::ends_primary(std::uint32_t token) const {
  const PyToken& t = lexed_->tokens[token];
  switch (t.kind) {
    case PyKind::name:
      return keyword(token) == PyWord::none;
    case PyKind::string:
    case PyKind::fstring_end:
      return true;
    case PyKind::op:
      return t.op == ')' || t.op == ']' || t.op == '}' || (t.op == '.' && t.op2 == '.');
    default:
      return false;
  }
}

bool PyAnnotator::is_assignment(std::uint32_t token) const {
  const PyToken& t = lexed_->tokens[token];
  if (t.kind != PyKind::op) return false;
  if (t.op == '=' && t.op2 == 0) return true;
  if (t.op2 == 'E') return true;
  return t.op2 == '=' && std::string_view("+-*/%&|^@").find(t.op) != std::string_view::npos;
}

std::uint32_t PyAnnotator::last_keyword(std::uint32_t opener) const { return marks_[opener].last; }

std::uint32_t PyAnnotator::positional(std::uint32_t opener) const {
  const std::uint32_t closer = marks_[opener].mate;
  if (closer == kNoToken) return 0;
  std::uint32_t count = marks_[closer].commas;
  for (std::uint32_t k = last_keyword(opener); k != kNoToken && count > 0; k = marks_[k].mate) --count;
  return count;
}

}  // namespace accelport
