#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/reader.h"
#include "syntax/scan.h"

namespace accelport {

/// Bytes with the padding that scanners and readers ask for, and not one more.
class PaddedText {
 public:
  PaddedText(const std::uint8_t* data, std::size_t size) : size_(size), bytes_(size + kTextPadding, 'c') {
    for (std::size_t i = 0; i < size; ++i) bytes_[i] = static_cast<char>(data[i]);
  }
  std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::size_t size_;
  std::vector<char> bytes_;
};

inline const LiteralScanner& fuzz_scanner() {
  static const LiteralScanner kScanner(
      {{"cuda", true}, {"nccl", true}, {"torch", false}, {".to(0", false}, {"self", false}});
  return kScanner;
}

inline void fuzz_fail(const char* promise, std::size_t offset) {
  std::fprintf(stderr, "broken at %zu: %s\n", offset, promise);
  std::abort();
}

/// Both paths of the scanner must find the same.
inline void check_scanner(std::string_view text) {
  std::vector<Hit> fast, scalar;
  fuzz_scanner().scan(text, fast);
  LiteralScanner::force_scalar(true);
  fuzz_scanner().scan(text, scalar);
  LiteralScanner::force_scalar(false);
  if (fast.size() != scalar.size()) fuzz_fail("both paths find as many", 0);
  for (std::size_t i = 0; i < fast.size(); ++i) {
    if (fast[i].offset != scalar[i].offset || fast[i].word != scalar[i].word)
      fuzz_fail("both paths find the same", fast[i].offset);
  }
}

/// The sites of a text: in range, in order, and one for every hit that stands in a name, string or comment.
inline void check_python(std::string_view text) {
  std::vector<Hit> hits;
  fuzz_scanner().scan(text, hits);
  ReaderFacts facts;
  facts.own_modules = {"own_package"};
  ReadOutput output;
  read_python({"a.py", text, {Language::python, FileRole::none}, hits, &facts}, output);
  const Site* before = nullptr;
  for (const Site& site : output.sites) {
    if (site.span.begin >= site.span.end || site.span.end > text.size())
      fuzz_fail("sites are in range", site.span.begin);
    if (before != nullptr && (site.span.begin < before->span.begin ||
                              (site.span.begin == before->span.begin && site.span.end > before->span.end))) {
      fuzz_fail("sites are in order", site.span.begin);
    }
    before = &site;
  }
  std::size_t next = 0;
  std::uint32_t covered = 0;
  for (const Hit& hit : hits) {
    for (; next < output.sites.size() && output.sites[next].span.begin <= hit.offset; ++next) {
      covered = output.sites[next].span.end > covered ? output.sites[next].span.end : covered;
    }
    // A word inside a number ("0cuda") and a trigger that begins with a dot have no site of their own.
    const bool word = is_word_byte(text[hit.offset]);
    const bool behind_digit = hit.offset > 0 && (is_word_byte(text[hit.offset - 1]) || text[hit.offset - 1] == '.');
    if (word && !behind_digit && hit.offset >= covered) fuzz_fail("every hit has a site", hit.offset);
  }
}

}  // namespace accelport
