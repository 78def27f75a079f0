#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "syntax/reader.h"
#include "syntax/scan.h"

namespace accelport {

/// Reads a Python snippet for a test, with a short search list.
class PythonSnippet {
 public:
  explicit PythonSnippet(std::string source, std::vector<std::string> triggers = {});
  PythonSnippet(const PythonSnippet&) = delete;
  PythonSnippet& operator=(const PythonSnippet&) = delete;

  const std::vector<Site>& sites() const { return output_.sites; }
  std::uint32_t damage() const { return output_.damage; }
  std::string_view text(const Site& site) const { return slice(source_, site.span); }
  /// The `nth` site with exactly this text; a site of kind `text` that matches nothing if there is none.
  const Site& site(std::string_view text, int nth = 0) const;
  bool has(std::string_view text) const;
  /// True if every hit of the search list lies in a site.
  bool covers_all_hits() const;

 private:
  std::string source_;  // padded
  std::vector<Hit> hits_;
  ReaderFacts facts_;
  ReadOutput output_;
  Site missing_;
};

/// Padding for a text given to scanners and readers: bytes that would change tokens if they were read as text.
std::string padded(std::string text);

inline PythonSnippet::PythonSnippet(std::string source, std::vector<std::string> triggers) {
  std::vector<LiteralScanner::Literal> literals;
  for (const char* word : {"cuda", "nccl", "nvidia", "triton", "cudnn", "cupy", "apex", "flash_attn", "nvtx", "nvml"}) {
    literals.push_back({word, true});
  }
  for (std::string& trigger : triggers) literals.push_back({std::move(trigger), false});
  facts_.own_modules = {"mypkg"};
  const std::size_t size = source.size();
  source_ = padded(std::move(source));
  const std::string_view text(source_.data(), size);
  LiteralScanner(literals).scan(text, hits_);
  read_python({"example.py", text, {Language::python, FileRole::none}, hits_, &facts_}, output_);
}

inline const Site& PythonSnippet::site(std::string_view text, int nth) const {
  for (const Site& site : output_.sites)
    if (this->text(site) == text && nth-- == 0) return site;
  return missing_;
}

inline bool PythonSnippet::has(std::string_view text) const { return &site(text) != &missing_; }

inline bool PythonSnippet::covers_all_hits() const {
  for (const Hit& hit : hits_) {
    bool covered = false;
    for (const Site& site : output_.sites) covered = covered || site.span.contains(hit.offset);
    if (!covered) return false;
  }
  return true;
}

inline std::string padded(std::string text) { return text + std::string(kTextPadding, 'x'); }

}  // namespace accelport
