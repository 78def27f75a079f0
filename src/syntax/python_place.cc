// PyAnnotator's questions: the place of an expression, from the marks of one line.

#include "syntax/python_annotate.h"

namespace accelport {
namespace {

enum Strength { kNone = 0, kConditional = 1, kComparison = 5, kAlternative = 6 };

/// Parentheses around parentheses are followed this far out.
constexpr int kMaxClimb = 64;
constexpr int kMaxNestedTargets = 8;

bool is_star(const PyToken& token) { return token.op == '*' && (token.op2 == 0 || token.op2 == '*'); }

}  // namespace

/// How strongly an operator binds; 0 if the token is none. Only the order matters.
int PyAnnotator::precedence(std::uint32_t token) const {
  const PyToken& t = lexed_->tokens[token];
  if (t.kind == PyKind::name) {
    switch (keyword(token)) {
      case PyWord::in_:
        return (marks_[token].flags & PyMark::for_in) != 0 ? kNone : kComparison;
      case PyWord::is_:
        return kComparison;
      case PyWord::not_:
        return keyword(token + 1) == PyWord::in_ || (token > 0 && keyword(token - 1) == PyWord::is_) ? kComparison : 4;
      case PyWord::and_:
        return 3;
      case PyWord::or_:
        return 2;
      case PyWord::if_:
        if (statement(token).first == token || (marks_[token].flags & PyMark::comprehension) != 0) return kNone;
        return kConditional;
      case PyWord::else_:
        return statement(token).first == token ? kNone : kConditional;
      default:
        return kNone;
    }
  }
  if (t.kind != PyKind::op) return kNone;
  if (t.op2 == '=') {
    return t.op == '=' || t.op == '!' || t.op == '<' || t.op == '>' ? kComparison : kNone;
  }
  if (t.op2 == 'E' || (t.op == '-' && t.op2 == '>')) return kNone;
  if (t.op == '<' && t.op2 == '>') return kComparison;
  switch (t.op) {
    case '<':
    case '>':
      return t.op2 == 0 ? static_cast<int>(kComparison) : 9;
    case '|':
      return kAlternative;
    case '^':
      return 7;
    case '&':
      return 8;
    case '+':
    case '-':
      return 10;
    case '*':
      return t.op2 == 0 ? 11 : 13;
    case '/':
    case '%':
    case '@':
      return 11;
    case '~':
      return 12;
    default:
      return kNone;
  }
}

bool PyAnnotator::is_unary_star(std::uint32_t token) const {
  const PyToken& t = lexed_->tokens[token];
  if (t.kind != PyKind::op || !is_star(t)) return false;
  if (statement(token).first == token) return true;
  return !ends_primary(token - 1) && lexed_->tokens[token - 1].kind != PyKind::number;
}

PyPlace PyAnnotator::place(std::uint32_t token) const {
  const PyMark& mark = marks_[token];
  std::uint32_t begin = mark.first, end = mark.last;
  const PyKind kind = lexed_->tokens[token].kind;
  if (kind == PyKind::fstring_text || kind == PyKind::fstring_end) {
    if (mark.mate != kNoToken) return place(mark.mate);
  }
  if (kind == PyKind::string || kind == PyKind::fstring_begin) return place(begin, end);
  begin = marks_[begin].primary;
  if ((mark.flags & PyMark::annotation) != 0) return place(begin, end);
  if (begin > statement(begin).first) {
    const PyWord before = keyword(begin - 1);
    if (before == PyWord::def_ || before == PyWord::class_) return place(begin, end);
  }
  if (!lexed_->is_op(end + 1, '(')) return place(begin, end);
  while (lexed_->is_op(end + 1, '(') && marks_[end + 1].mate != kNoToken) end = marks_[end + 1].mate;
  if (lexed_->is_op(end + 1, '(') || lexed_->is_op(end + 1, '.') || lexed_->is_op(end + 1, '[')) {
    PyPlace used;
    used.context = Context::called;
    used.begin = begin;
    used.end = end;
    return used;
  }
  return place(begin, end);
}

/// Decides by the operators beside the expression. `climb` asks to go on with the whole conditional expression.
bool PyAnnotator::adjacent_operator(PyPlace& place, bool& climb) const {
  const std::uint32_t first = statement(place.begin).first;
  const bool has_left = place.begin > first;
  const std::uint32_t left = place.begin - 1, right = place.end + 1;
  const int on_left = has_left ? precedence(left) : 0;
  const int on_right = precedence(right);
  const PyMark& mark = marks_[place.begin];
  if (has_left && is_unary_star(left)) {
    if (mark.frame == PyFrame::parameters || (mark.flags & PyMark::lambda_parameter) != 0) return false;
    place.context = Context::other;
    return true;
  }
  const int most = on_left > on_right ? on_left : on_right;
  if (most == kNone) return false;
  if (statement(place.begin).word == PyWord::case_ && (most == kConditional || most == kAlternative)) {
    const bool guard = has_left && keyword(left) == PyWord::if_;
    place.context = guard ? Context::condition : Context::pattern;
    return true;
  }
  if (most == kComparison) {
    place_compared(place, on_left != kComparison);
  } else if (most == kConditional) {
    if (has_left && keyword(left) == PyWord::if_) {
      place.context = Context::condition;
      return true;
    }
    const PyRegion whole = region(place.begin);
    climb = whole.begin < place.begin || whole.end > place.end + 1;
    place.context = Context::operand;
    if (climb) {
      place.begin = whole.begin;
      place.end = whole.end - 1;
    }
  } else {
    place.context = Context::operand;
  }
  return true;
}

void PyAnnotator::place_compared(PyPlace& place, bool on_left) const {
  place.context = Context::compared;
  if (on_left) {
    place.other = place.end + 2;
    const PyWord next = keyword(place.end + 2);
    if (next == PyWord::in_ || next == PyWord::not_) ++place.other;
  } else {
    place.other = place.begin - 2;
    const PyWord before = keyword(place.begin - 2);
    if (before == PyWord::not_ || before == PyWord::is_) --place.other;
  }
}

bool PyAnnotator::place_by_neighbours(PyPlace& place) const {
  const std::uint32_t first = statement(place.begin).first;
  const bool has_left = place.begin > first;
  const std::uint32_t left = place.begin - 1, right = place.end + 1;
  const PyWord word = has_left ? keyword(left) : PyWord::none;
  const auto is = [&](Context context) {
    place.context = context;
    return true;
  };
  if (word == PyWord::def_ || word == PyWord::class_) return is(Context::definition);
  if (lexed_->is_op(right, '.')) return is(Context::object);
  if (lexed_->is_op(right, '(')) return is(Context::called);
  if (lexed_->is_op(right, '[')) return is(Context::subscripted);
  if (left == first && has_left && lexed_->is_op(left, '@')) return is(Context::decorator);
  return false;
}

PyPlace PyAnnotator::place(std::uint32_t begin, std::uint32_t end) const {
  PyPlace place = find_place(begin, end);
  // In damaged text a neighbour can be missing: then it lies in another line, of which nothing is known.
  const PyStatement line = statement(begin);
  for (std::uint32_t* token : {&place.callee, &place.key, &place.other}) {
    if (*token < line.line_first || *token >= line.line_last) *token = kNoToken;
  }
  return place;
}

PyPlace PyAnnotator::find_place(std::uint32_t begin, std::uint32_t end) const {
  PyPlace place;
  place.begin = begin;
  place.end = end;
  const PyWord opening = statement(begin).word;
  if (opening == PyWord::import_ || opening == PyWord::from_) {
    place.context = Context::import_module;
    return place;
  }
  if ((marks_[begin].flags & PyMark::annotation) != 0) {
    place.context = Context::annotation;
    const std::uint32_t opener = marks_[begin].opener;
    if (marks_[begin].frame == PyFrame::subscript) place.callee = opener - 1;
    if (marks_[begin].frame == PyFrame::parameters) place.key = marks_[begin].item;
    return place;
  }
  for (int step = 0; step < kMaxClimb; ++step) {
    const bool has_left = place.begin > statement(place.begin).first;
    if (has_left && lexed_->is_op(place.begin - 1, '(') && marks_[place.begin - 1].mate == place.end + 1 &&
        marks_[place.begin].frame == PyFrame::group) {
      --place.begin;
      ++place.end;
      continue;
    }
    if (place_by_neighbours(place)) return place;
    bool climb = false;
    if (adjacent_operator(place, climb)) {
      if (climb) continue;
      return place;
    }
    place_in_bracket(place);
    return place;
  }
  return place;
}

void PyAnnotator::place_parameter(PyPlace& place, bool has_default) const {
  place.context = has_default ? Context::default_value : Context::parameter;
  place.key = marks_[place.begin].item;
  if (is_star(lexed_->tokens[place.key])) ++place.key;
  if (lexed_->tokens[place.key].kind == PyKind::newline) place.key = kNoToken;
}

bool PyAnnotator::place_by_keyword(PyPlace& place) const {
  const bool has_left = place.begin > statement(place.begin).first;
  const std::uint32_t left = place.begin - 1, right = place.end + 1;
  if (has_left && lexed_->is_op(left, ':', '=')) {
    place.context = Context::assigned;
    place.key = left - 1;
    return true;
  }
  if (lexed_->is_op(right, ':', '=')) {
    place.context = Context::target;
    return true;
  }
  if (keyword(right) == PyWord::as_) return true;
  if (!has_left) return false;
  switch (keyword(left)) {
    case PyWord::as_:
      place.context = Context::target;
      return true;
    case PyWord::assert_:
    case PyWord::if_:
      place.context = Context::condition;
      return true;
    case PyWord::await_:
    case PyWord::lambda_:
    case PyWord::raise_:
    case PyWord::with_:
    case PyWord::from_:
    case PyWord::global_:
    case PyWord::nonlocal_:
    case PyWord::del_:
    case PyWord::except_:
      return true;
    case PyWord::yield_:
      if (lexed_->is_op(right, ',') && marks_[place.begin].frame == PyFrame::top) place.context = Context::element;
      return true;
    case PyWord::in_:
      if ((marks_[left].flags & PyMark::for_in) == 0) return false;
      if (lexed_->is_op(right, ',') && marks_[left].frame == PyFrame::top) place.context = Context::element;
      return true;
    default:
      return false;
  }
}

void PyAnnotator::place_in_bracket(PyPlace& place) const {
  const PyMark& mark = marks_[place.begin];
  const bool has_left = place.begin > statement(place.begin).first;
  const std::uint32_t left = place.begin - 1, right = place.end + 1;
  place.context = Context::other;
  if ((mark.flags & PyMark::lambda_parameter) != 0) {
    return place_parameter(place, has_left && lexed_->is_op(left, '='));
  }
  if ((mark.flags & PyMark::for_target) != 0 || mark.frame == PyFrame::target) {
    place.context = Context::target;
    return;
  }
  if (mark.frame == PyFrame::brace && lexed_->is_op(left, ':') && (mark.flags & PyMark::lambda_body) == 0) {
    place.context = Context::value;
    place.key = left - 1;
    return;
  }
  if (mark.frame == PyFrame::field) {
    if ((mark.flags & PyMark::lambda_body) == 0) place.context = Context::interpolated;
    return;
  }
  if (mark.frame == PyFrame::parameters) {
    return place_parameter(place, has_left && lexed_->is_op(left, '='));
  }
  if (place_by_keyword(place) || (mark.flags & PyMark::lambda_body) != 0) return;
  if (statement(place.begin).word == PyWord::case_ && mark.frame != PyFrame::top) {
    place.context = Context::pattern;
    return;
  }
  switch (mark.frame) {
    case PyFrame::call:
    case PyFrame::bases:
      return place_in_call(place);
    case PyFrame::group:
    case PyFrame::list: {
      const std::uint32_t assign = statement(place.begin).assign;
      if (mark.opener > 0 && keyword(mark.opener - 1) == PyWord::with_) return;  // with (a, b):
      std::uint32_t outer = mark.opener;
      for (int i = 0; i < kMaxNestedTargets && marks_[outer].frame != PyFrame::top; ++i) {
        if (marks_[outer].frame != PyFrame::group && marks_[outer].frame != PyFrame::list) break;
        outer = marks_[outer].opener;
      }
      const bool target = marks_[outer].frame == PyFrame::top && assign != kNoToken && place.begin < assign;
      place.context = target ? Context::target : Context::element;
      return;
    }
    case PyFrame::subscript:
      if (lexed_->is_op(left, ':') || lexed_->is_op(right, ':')) return;
      place.context = Context::subscript;
      place.callee = mark.opener - 1;
      return;
    case PyFrame::brace:
      place.context = lexed_->is_op(right, ':') ? Context::key : Context::element;
      return;
    default:
      place_in_statement(place);
  }
}

void PyAnnotator::place_in_call(PyPlace& place) const {
  const PyMark& mark = marks_[place.begin];
  if (mark.frame == PyFrame::call) place.callee = mark.opener - 1;
  if (lexed_->is_op(place.begin - 1, '=')) {
    place.context = Context::keyword;
    place.key = place.begin - 2;
  } else if (lexed_->is_op(place.end + 1, '=')) {
    place.context = Context::keyword_name;
    place.key = place.begin;
  } else {
    place.context = Context::argument;
    place.argument = static_cast<int>(mark.commas);
  }
}

void PyAnnotator::place_in_statement(PyPlace& place) const {
  const PyStatement whole = statement(place.begin);
  const bool has_left = place.begin > whole.first;
  const std::uint32_t left = place.begin - 1, right = place.end + 1;
  if (whole.word == PyWord::case_) {
    place.context = Context::pattern;
    return;
  }
  if (whole.word == PyWord::match_) {
    place.context = Context::condition;
    return;
  }
  if (whole.assign != kNoToken && place.begin < whole.assign) {
    const bool annotated = whole.annotation != kNoToken && place.begin > whole.annotation;
    if (!annotated && !(has_left && lexed_->is_op(left, '='))) {
      place.context = Context::target;
      return;
    }
  }
  const PyWord print = lexed_->tokens[whole.first].word();
  if (has_left && (print == PyWord::print_ || print == PyWord::exec_) && whole.assign == kNoToken &&
      place.begin > whole.first && !lexed_->is_op(whole.first + 1, '.')) {
    place.context = Context::argument;
    place.argument = static_cast<int>(marks_[place.begin].commas);
    place.callee = whole.first;
    return;
  }
  if (lexed_->is_op(right, ',') || (has_left && lexed_->is_op(left, ','))) {
    switch (whole.word) {
      case PyWord::assert_:
      case PyWord::with_:
      case PyWord::global_:
      case PyWord::nonlocal_:
      case PyWord::except_:
      case PyWord::raise_:
      case PyWord::del_:
        break;
      default:
        place.context = Context::element;
    }
    return;
  }
  if (has_left && keyword(left) == PyWord::return_) {
    place.context = Context::returned;
  } else if (is_assignment(right)) {
    place.context = Context::target;
  } else if (place.begin == whole.first && whole.annotation == right) {
    place.context = Context::target;
  } else if (has_left && is_assignment(left)) {
    place.context = Context::assigned;
    place.key = whole.annotation != kNoToken && whole.annotation < left ? whole.annotation - 1 : left - 1;
  } else if (has_left &&
             (keyword(left) == PyWord::elif_ || keyword(left) == PyWord::while_ || keyword(left) == PyWord::if_)) {
    place.context = Context::condition;
  } else if (place.begin == whole.first) {
    place.context = Context::statement;
  }
}

}  // namespace accelport
