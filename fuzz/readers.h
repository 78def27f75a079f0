#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/encoding.h"
#include "syntax/scan.h"
#include "syntax/site_checks.h"

namespace accelport {

/// Reads `text` as the file `path` and aborts if the reader breaks a promise of syntax/reader.h.
inline void fuzz_reader(std::string_view path, std::string_view text, Language language) {
  static const LiteralScanner kScanner({{"cuda", true},
                                        {"nccl", true},
                                        {"nvidia", true},
                                        {"asm", false},
                                        {"torch", true},
                                        {"<<<", false},
                                        {"   ", false},
                                        {"\"\"\"", false}});
  std::string padded(text);
  padded.append(kTextPadding, '\0');
  const std::string_view bytes = std::string_view(padded).substr(0, text.size());
  FileKind kind = file_kind(path, bytes);
  kind.language = language;
  const DecodedText decoded = decode_text(bytes, language);
  if (decoded.encoding == Encoding::binary) return;
  std::vector<Hit> hits;
  kScanner.scan(decoded.text, hits);
  ReadOutput output;
  const ReadInput input{path, decoded.text, kind, hits, nullptr, 0};
  read_source(input, output);
  const std::string broken = broken_promise(input, output);
  if (broken.empty()) return;
  std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(path.size()), path.data(), broken.c_str());
  std::abort();
}

}  // namespace accelport
