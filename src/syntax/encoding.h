#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "syntax/language.h"

namespace accelport {

enum class Encoding { utf8, utf8_bom, utf16_le, utf16_be, declared, latin1, binary };

/// A file's bytes as text, with the way back. Where the bytes are already usable (UTF-8, or any superset of ASCII that
/// no lexer can misread) `text` is the bytes themselves and offsets are equal; otherwise the text is transcoded to
/// UTF-8 and `to_bytes` maps offsets back into the file.
struct DecodedText {
  Encoding encoding = Encoding::utf8;
  std::string charset;  // name for people: "utf-8", "gbk", "utf-16-le", "unknown-8bit"
  bool transcoded = false;
  std::string storage;                                       // padded text if transcoded
  std::string_view text;                                     // what the readers get
  std::vector<std::pair<std::uint32_t, std::uint32_t>> map;  // (text offset, byte offset) at every change of step
  std::string problem;                                       // why parts could not be decoded, or empty

  std::uint32_t to_bytes(std::uint32_t text_offset) const;
};

/// Decodes `bytes` (followed by kTextPadding readable bytes, which the result may point into). Python's coding cookie
/// (PEP 263) is honoured in the first two lines of Python files. Bytes with NUL that are not UTF-16 are `binary`.
DecodedText decode_text(std::string_view bytes, Language language);

}  // namespace accelport
