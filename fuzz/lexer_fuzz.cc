// The scanner's two paths, the lexer's tokens and lines, and the reader's sites on any bytes.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "python_checks.h"
#include "syntax/python_lexer.h"

namespace accelport {
namespace {

void check(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", promise);
  std::abort();
}

void check_tokens(const PyLexed& lexed, std::size_t size) {
  std::uint32_t end = 0;
  for (const PyToken& token : lexed.tokens) {
    check(token.begin >= end && token.end >= token.begin && token.end <= size, "tokens are in order");
    end = token.end;
  }
  std::uint32_t next = 0;
  for (const PyLine& line : lexed.lines) {
    check(line.first >= next && line.first < line.last && line.last < lexed.tokens.size(), "lines hold tokens");
    check(lexed.tokens[line.last].kind == PyKind::newline, "a newline ends each line");
    next = line.last + 1;
  }
  check(next == lexed.tokens.size(), "lines hold all tokens");
  for (const Span& comment : lexed.comments)
    check(comment.begin < comment.end && comment.end <= size, "comments are in range");
}

}  // namespace
}  // namespace accelport

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace accelport;
  const PaddedText text(data, size);
  check_scanner(text.view());
  static PyLexed lexed;
  lex_python(text.view(), lexed);
  check_tokens(lexed, size);
  check_python(text.view());
  return 0;
}
