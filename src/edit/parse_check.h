#pragma once

#include <string_view>
#include <vector>

#include "base/text.h"
#include "syntax/python_lexer.h"

namespace accelport {

/// True if every statement of `text` that one of the places touches can be parsed by itself: the function around the
/// place, or the statement at the left margin. `lexed` is `text` read by `lex_python`. False says only that the whole
/// text must be looked at.
bool touched_statements_parse(std::string_view text, const PyLexed& lexed, const std::vector<Span>& places);

}  // namespace accelport
