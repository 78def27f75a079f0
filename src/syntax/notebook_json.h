#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "syntax/offset_map.h"

namespace accelport {

/// One cell as it stands in the file.
struct NotebookCell {
  std::string_view type;     // "code", "markdown", "raw", "heading"
  std::vector<Span> source;  // insides of the strings that its source is made of
  Span outputs;              // the value of "outputs", or empty
  Span whole;
};

/// The cells of a notebook (format 3 or 4), found by walking the JSON text: positions are kept and damaged files give
/// what can be read. `damage` counts the places that are no JSON.
std::vector<NotebookCell> find_cells(std::string_view text, std::uint32_t& damage);

/// The cell's source unescaped, with the way back.
PieceBuilder cell_source(std::string_view text, const NotebookCell& cell);

}  // namespace accelport
