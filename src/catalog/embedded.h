#pragma once

#include <span>
#include <string_view>

namespace accelport {

/// One file of the folder `data/` (or of `python/accelport/simulator/`, as `simulator/`) as it was when the program was
/// built.
struct EmbeddedFile {
  std::string_view path;   ///< relative to `data/`, with `/` between folders
  std::string_view bytes;  ///< the whole content, followed in memory by a zero byte
};

/// All those files, sorted by path bytes. The list and its bytes live as long as the program.
std::span<const EmbeddedFile> embedded_files();

}  // namespace accelport
