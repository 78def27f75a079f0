#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace accelport {

struct CxxToken {
  enum class Kind : std::uint8_t {
    identifier,
    number,
    string,  // with prefix and quotes, raw strings included
    character,
    punctuation,  // one operator; "::", "->", "<<<", ">>>", "==", "!=", "&&", "||" are one token
    comment,
    hash,    // the "#" of a directive; the tokens of its line follow with `directive` set
    header,  // <name> or "name" behind #include
  };

  Kind kind = Kind::punctuation;
  bool directive = false;   // stands in a preprocessor line
  bool line_start = false;  // first token of its logical line
  Span span;
};

/// Splits C, C++ and CUDA text into tokens. Never fails; `damage` counts unclosed literals and comments.
std::vector<CxxToken> lex_cxx(std::string_view text, std::uint32_t& damage);

}  // namespace accelport
