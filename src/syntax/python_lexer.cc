#include "syntax/python_lexer.h"

#include <array>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/result.h"

namespace accelport {
namespace {

enum class Class : std::uint8_t { other, word, digit, quote, comment, line_end, backslash, open, close, blank };

constexpr std::array<Class, 256> make_classes() {
  std::array<Class, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[c] = table[c - 32] = Class::word;
  table['_'] = Class::word;
  for (int c = 128; c < 256; ++c) table[c] = Class::word;
  for (int c = '0'; c <= '9'; ++c) table[c] = Class::digit;
  table['\''] = table['"'] = Class::quote;
  table['#'] = Class::comment;
  table['\n'] = table['\r'] = Class::line_end;
  table['\\'] = Class::backslash;
  table['('] = table['['] = table['{'] = Class::open;
  table[')'] = table[']'] = table['}'] = Class::close;
  table[' '] = table['\t'] = table['\f'] = table['\v'] = Class::blank;
  return table;
}

constexpr std::array<Class, 256> kClasses = make_classes();

Class class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }

constexpr std::array<bool, 256> make_word_bytes() {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c) table[c] = kClasses[c] == Class::word || kClasses[c] == Class::digit;
  return table;
}

constexpr std::array<bool, 256> kWordBytes = make_word_bytes();

bool is_word(char c) { return kWordBytes[static_cast<unsigned char>(c)]; }
char folded(char c) { return static_cast<char>(c | 32); }

/// The first of `a`, `b`, "\n" and "\r" at or behind `p`, or `size`.
std::uint32_t find_special(const char* text, std::uint32_t p, std::uint32_t size, char a, char b) {
#if defined(__SSE2__)
  const __m128i va = _mm_set1_epi8(a), vb = _mm_set1_epi8(b), vn = _mm_set1_epi8('\n'), vr = _mm_set1_epi8('\r');
  for (; p < size; p += 16) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + p));
    const __m128i ab = _mm_or_si128(_mm_cmpeq_epi8(x, va), _mm_cmpeq_epi8(x, vb));
    const __m128i nr = _mm_or_si128(_mm_cmpeq_epi8(x, vn), _mm_cmpeq_epi8(x, vr));
    const int found = _mm_movemask_epi8(_mm_or_si128(ab, nr));
    if (found != 0) {
      p += static_cast<std::uint32_t>(__builtin_ctz(static_cast<unsigned>(found)));
      return p < size ? p : size;
    }
  }
  return size;
#else
  while (p < size && text[p] != a && text[p] != b && text[p] != '\n' && text[p] != '\r') ++p;
  return p;
#endif
}

/// What a string's prefix says.
struct Prefix {
  bool valid = false;
  bool raw = false;
  bool interpolated = false;
};

Prefix read_prefix(const char* text, std::uint32_t begin, std::uint32_t end) {
  Prefix prefix{end - begin <= 3};
  for (; begin < end && prefix.valid; ++begin) {
    switch (folded(text[begin])) {
      case 'r':
        prefix.raw = true;
        break;
      case 'f':
      case 't':
        prefix.interpolated = true;
        break;
      case 'b':
      case 'u':
        break;
      default:
        prefix.valid = false;
    }
  }
  return prefix;
}

/// A statement keyword that no expression can hold: at the start of a line inside brackets it shows that a bracket was
/// never closed.
bool starts_statement(PyWord word) {
  switch (word) {
    case PyWord::assert_:
    case PyWord::break_:
    case PyWord::class_:
    case PyWord::continue_:
    case PyWord::def_:
    case PyWord::del_:
    case PyWord::elif_:
    case PyWord::except_:
    case PyWord::finally_:
    case PyWord::global_:
    case PyWord::import_:
    case PyWord::nonlocal_:
    case PyWord::pass_:
    case PyWord::raise_:
    case PyWord::return_:
    case PyWord::try_:
    case PyWord::while_:
    case PyWord::with_:
      return true;
    default:
      return false;
  }
}

class Lexer {
 public:
  Lexer(std::string_view text, PyLexed& out)
      : text_(text.data()), size_(static_cast<std::uint32_t>(text.size())), out_(out) {}

  void run();

 private:
  /// An f-string that is open. Its interpolations are the entries of `fields_` from `first_field` on.
  struct Literal {
    char quote;
    bool triple;
    bool raw;
    std::uint32_t first_field;
  };
  /// An open interpolation: the bracket depth inside it, and whether its format specification has begun.
  struct Field {
    std::int32_t depth;
    bool in_spec;
  };

  char at(std::uint32_t p) const { return text_[p]; }
  std::uint32_t add(std::uint32_t begin, std::uint32_t end, PyKind kind, char op = 0, char op2 = 0);
  void begin_line(std::uint32_t at);
  void start_physical_line();
  void end_logical_line();
  void word();
  void number();
  void string(std::uint32_t begin);
  void plain_string(std::uint32_t begin, char quote, bool triple);
  void comment();
  void line_end();
  void backslash();
  void close(char c);
  void other(char c);
  void fstring_body();
  void field_in_body(std::uint32_t& start);
  void abandon_fields(const Literal& literal);
  void end_fstring(std::uint32_t from, std::uint32_t to);
  bool resume_statement(std::uint32_t begin);
  bool is_quote(const Literal& literal) const;
  bool in_field_of_top() const {
    return !literals_.empty() && fields_.size() > literals_.back().first_field && fields_.back().depth == depth_ &&
           !fields_.back().in_spec;
  }

  const char* text_;
  std::uint32_t size_;
  PyLexed& out_;
  std::uint32_t p_ = 0;
  std::int32_t depth_ = 0;
  bool open_ = false;  // inside a logical line
  bool fresh_ = true;  // nothing but blanks since the physical line began
  bool imports_ = false;
  std::uint32_t indent_ = 0;
  std::uint32_t line_begin_ = 0;
  std::uint32_t first_token_ = 0;
  std::vector<Literal> literals_;
  std::vector<Field> fields_;
};

std::uint32_t Lexer::add(std::uint32_t begin, std::uint32_t end, PyKind kind, char op, char op2) {
  const auto index = static_cast<std::uint32_t>(out_.tokens.size());
  out_.tokens.push_back({begin, end, 0, kNoToken, kind, op, op2});
  return index;
}

void Lexer::begin_line(std::uint32_t at) {
  fresh_ = false;
  if (open_) return;
  open_ = true;
  imports_ = false;
  line_begin_ = at;
  first_token_ = static_cast<std::uint32_t>(out_.tokens.size());
}

void Lexer::start_physical_line() {
  fresh_ = true;
  if (depth_ > 0 || open_) return;
  indent_ = 0;
  for (; p_ < size_; ++p_) {
    const char c = at(p_);
    if (c == ' ') {
      ++indent_;
    } else if (c == '\t') {
      indent_ = (indent_ / 8 + 1) * 8;
    } else if (c == '\f') {
      indent_ = 0;
    } else {
      break;
    }
  }
}

void Lexer::end_logical_line() {
  if (!open_) return;
  open_ = false;
  const PyToken& last = out_.tokens.back();
  const bool header = last.kind == PyKind::op && last.op == ':' && last.op2 == 0;
  const auto count = static_cast<std::uint32_t>(out_.tokens.size());
  out_.lines.push_back({line_begin_, last.end, indent_, first_token_, count, header, imports_});
  const std::uint32_t end = last.end;
  add(end, end, PyKind::newline);
}

bool Lexer::resume_statement(std::uint32_t begin) {
  // Only here is the rest of a damaged file worth more than an unclosed bracket.
  ++out_.damage;
  while (!literals_.empty()) {
    add(begin, begin, PyKind::fstring_end);
    literals_.pop_back();
  }
  fields_.clear();
  depth_ = 0;
  end_logical_line();
  std::uint32_t start = begin;
  while (start > 0 && at(start - 1) != '\n' && at(start - 1) != '\r') --start;
  p_ = start;
  start_physical_line();
  p_ = begin;
  return true;
}

void Lexer::word() {
  const std::uint32_t begin = p_;
  do ++p_;
  while (p_ < size_ && is_word(at(p_)));
  if (class_of(at(p_)) == Class::quote && p_ < size_ && p_ - begin <= 3 && read_prefix(text_, begin, p_).valid) {
    begin_line(begin);
    string(begin);
    return;
  }
  const std::uint32_t name = out_.names.intern(text_ + begin, p_ - begin);
  const bool keyword = name <= static_cast<std::uint32_t>(PyWord::yield_);
  if (keyword && fresh_ && depth_ > 0 && starts_statement(static_cast<PyWord>(name)) && resume_statement(begin)) {
    p_ = begin + static_cast<std::uint32_t>(out_.names.text(name).size());
  }
  begin_line(begin);
  if (name == static_cast<std::uint32_t>(PyWord::import_)) imports_ = true;
  const std::uint32_t token = add(begin, p_, PyKind::name);
  out_.tokens[token].name = name;
  const std::uint32_t before = out_.names.append(name, token);
  if (before != kNoToken) out_.tokens[before].next = token;
}

void Lexer::number() {
  const std::uint32_t begin = p_;
  begin_line(begin);
  const bool hex = at(p_) == '0' && folded(at(p_ + 1)) == 'x';
  do {
    ++p_;
    if (!hex && folded(at(p_ - 1)) == 'e' && (at(p_) == '+' || at(p_) == '-')) ++p_;
  } while (p_ < size_ && (is_word(at(p_)) || at(p_) == '.'));
  if (p_ > size_) p_ = size_;
  add(begin, p_, PyKind::number);
}

void Lexer::string(std::uint32_t begin) {
  const Prefix prefix = read_prefix(text_, begin, p_);
  const char quote = at(p_);
  const bool triple = p_ + 2 < size_ && at(p_ + 1) == quote && at(p_ + 2) == quote;
  p_ += triple ? 3 : 1;
  if (!prefix.interpolated) {
    plain_string(begin, quote, triple);
    return;
  }
  add(begin, p_, PyKind::fstring_begin);
  literals_.push_back({quote, triple, prefix.raw, static_cast<std::uint32_t>(fields_.size())});
  fstring_body();
}

void Lexer::plain_string(std::uint32_t begin, char quote, bool triple) {
  bool closed = false;
  while (!closed) {
    p_ = find_special(text_, p_, size_, quote, '\\');
    if (p_ >= size_) break;
    const char c = at(p_);
    if (c == '\\') {
      p_ += at(p_ + 1) == '\r' && at(p_ + 2) == '\n' ? 3 : 2;
    } else if (c == quote) {
      closed = !triple || (at(p_ + 1) == quote && at(p_ + 2) == quote);
      p_ += closed && triple ? 3 : 1;
    } else if (triple) {
      ++p_;
    } else {
      break;
    }
  }
  if (p_ > size_) {
    p_ = size_;
    closed = false;
  }
  if (!closed) ++out_.damage;
  add(begin, p_, PyKind::string);
}

void Lexer::comment() {
  const std::uint32_t begin = p_;
  const void* newline = std::memchr(text_ + p_, '\n', size_ - p_);
  p_ = newline ? static_cast<std::uint32_t>(static_cast<const char*>(newline) - text_) : size_;
  if (const void* stop = std::memchr(text_ + begin, '\r', p_ - begin)) {
    p_ = static_cast<std::uint32_t>(static_cast<const char*>(stop) - text_);
  }
  out_.comments.push_back({begin, p_});
}

void Lexer::line_end() {
  p_ += at(p_) == '\r' && p_ + 1 < size_ && at(p_ + 1) == '\n' ? 2 : 1;
  if (depth_ <= 0) {
    depth_ = 0;
    end_logical_line();
  }
  start_physical_line();
}

void Lexer::backslash() {
  ++p_;
  if (p_ < size_ && at(p_) == '\r') ++p_;
  if (p_ < size_ && at(p_) == '\n') ++p_;
}

void Lexer::close(char c) {
  const std::uint32_t begin = p_++;
  begin_line(begin);
  if (c == '}' && in_field_of_top()) {
    --depth_;
    fields_.pop_back();
    add(begin, p_, PyKind::field_close, '}');
    fstring_body();
    return;
  }
  const std::int32_t least = fields_.empty() ? 0 : fields_.back().depth;
  if (depth_ > least) {
    --depth_;
  } else {
    ++out_.damage;
  }
  add(begin, p_, PyKind::op, c);
}

void Lexer::other(char c) {
  const std::uint32_t begin = p_++;
  begin_line(begin);
  if (c == ':' && in_field_of_top()) {
    add(begin, p_, PyKind::op, ':');
    fields_.back().in_spec = true;
    fstring_body();
    return;
  }
  const char d = p_ < size_ ? at(p_) : '\0';
  if (c == '.' && is_ascii_digit(d)) {
    p_ = begin;
    number();
    return;
  }
  char second = 0;
  if (d == '=' && std::strchr("=!<>+-*/%&|^@:", c) != nullptr && c != '\0') {
    second = '=';
  } else if ((c == '*' || c == '/' || c == '<' || c == '>') && d == c) {
    second = p_ + 1 < size_ && at(p_ + 1) == '=' ? 'E' : c;
  } else if ((c == '-' || c == '<') && d == '>') {
    second = '>';
  } else if (c == '.' && d == '.' && p_ + 1 < size_ && at(p_ + 1) == '.') {
    second = '.';
  }
  if (second != 0) p_ += second == 'E' || second == '.' ? 2 : 1;
  add(begin, p_, PyKind::op, c, second);
}

bool Lexer::is_quote(const Literal& literal) const {
  return at(p_) == literal.quote &&
         (!literal.triple || (p_ + 2 < size_ && at(p_ + 1) == literal.quote && at(p_ + 2) == literal.quote));
}

void Lexer::abandon_fields(const Literal& literal) {
  while (fields_.size() > literal.first_field) {
    depth_ = fields_.back().depth - 1;
    fields_.pop_back();
  }
}

void Lexer::end_fstring(std::uint32_t from, std::uint32_t to) {
  const Literal literal = literals_.back();
  if (fields_.size() > literal.first_field || from == to) ++out_.damage;
  abandon_fields(literal);
  add(from, to, PyKind::fstring_end);
  literals_.pop_back();
}

/// The text of an f-string, up to its end or the next interpolation (whose code `run` reads). With an interpolation
/// still open this is its format specification.
void Lexer::fstring_body() {
  const Literal literal = literals_.back();
  std::uint32_t start = p_;
  const auto flush = [&] {
    if (p_ > start) add(start, p_, PyKind::fstring_text);
  };
  while (p_ < size_) {
    const bool spec = fields_.size() > literal.first_field;
    const char c = at(p_);
    const char d = p_ + 1 < size_ ? at(p_ + 1) : '\0';
    if (c == '\\' && !spec) {
      if (!literal.raw && d == 'N' && at(p_ + 2) == '{') {
        while (p_ < size_ && at(p_) != '}' && at(p_) != '\n' && at(p_) != literal.quote) ++p_;
        if (p_ < size_ && at(p_) == '}') ++p_;
      } else {
        p_ += d == '{' || d == '}' ? 1 : 2;
      }
    } else if (c == '{') {
      if (!spec && d == '{') {
        p_ += 2;
        continue;
      }
      flush();
      add(p_, p_ + 1, PyKind::field_open, '{');
      ++p_;
      fields_.push_back({++depth_, false});
      return;
    } else if (c == '}' && spec) {
      flush();
      add(p_, p_ + 1, PyKind::field_close, '}');
      fields_.pop_back();
      --depth_;
      start = ++p_;
    } else if (is_quote(literal)) {
      flush();
      const std::uint32_t end = p_ + (literal.triple ? 3 : 1);
      end_fstring(p_, end);
      p_ = end;
      return;
    } else if ((c == '\n' || c == '\r') && !literal.triple) {
      flush();
      end_fstring(p_, p_);
      return;
    } else {
      ++p_;
    }
  }
  p_ = size_;
  flush();
  end_fstring(size_, size_);
}

void Lexer::run() {
  if (size_ >= 3 && std::memcmp(text_, "\xEF\xBB\xBF", 3) == 0) p_ = 3;
  start_physical_line();
  while (p_ < size_) {
    const char c = at(p_);
    switch (class_of(c)) {
      case Class::word:
        word();
        break;
      case Class::digit:
        number();
        break;
      case Class::quote:
        begin_line(p_);
        string(p_);
        break;
      case Class::comment:
        comment();
        break;
      case Class::line_end:
        line_end();
        break;
      case Class::backslash:
        backslash();
        break;
      case Class::open:
        begin_line(p_);
        ++depth_;
        add(p_, p_ + 1, PyKind::op, c);
        ++p_;
        break;
      case Class::close:
        close(c);
        break;
      case Class::blank:
        ++p_;
        break;
      case Class::other:
        other(c);
        break;
    }
  }
  if (depth_ > 0 || !literals_.empty()) ++out_.damage;
  while (!literals_.empty()) {
    add(size_, size_, PyKind::fstring_end);
    literals_.pop_back();
  }
  end_logical_line();
}

}  // namespace

void lex_python(std::string_view text, PyLexed& lexed) {
  ACCELPORT_CHECK(text.size() < kNoToken);
  lexed.text = text;
  lexed.tokens.clear();
  lexed.tokens.reserve(text.size() / 6);
  lexed.lines.clear();
  lexed.comments.clear();
  lexed.names.clear();
  lexed.damage = 0;
  Lexer(text, lexed).run();
}

}  // namespace accelport
