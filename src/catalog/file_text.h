#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace accelport {

/// A file's text for the rules that ask whether something stands in it at all; each question is answered once.
class FileText {
 public:
  FileText(std::string_view text) : text_(text) {}  // a plain text may be given where nothing is asked twice
  std::string_view view() const { return text_; }
  bool has(const std::string& literal) const { return first(literal) != std::string_view::npos; }
  /// Where `literal` stands first, or npos.
  std::size_t first(const std::string& literal) const;

 private:
  std::string_view text_;
  mutable std::vector<std::pair<const std::string*, std::size_t>> answers_;
};

}  // namespace accelport
