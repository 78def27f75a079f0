#pragma once

#include <string_view>
#include <vector>

#include "syntax/sink.h"

namespace accelport {

/// Adds one site (kind prose, context code_block) for every touched line of a code block of a document. `language` is
/// what the fence says, or text if it says nothing: then it is guessed from the lines. Prompts ("$ ", ">>> ") tell
/// commands from their output, whose lines get language text. api, callee, keyword … are those of what stands in the
/// line.
void add_code_block(SiteSink& sink, const std::vector<Span>& lines, Language language);

/// Adds the site of one line of running text. If all its hits stand in inline code or in a link, the context says so.
/// `mark` is what encloses inline code: "`" or "``".
void add_prose_line(SiteSink& sink, Span line, Context context, std::string_view mark);

/// What a line of an unlabelled code block most likely is.
Language guess_code_language(std::string_view line);

}  // namespace accelport
