#pragma once

#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "syntax/site.h"

namespace accelport {

/// What every reader is told besides the text: facts about the repository and about what to look for. Immutable and
/// shared by all threads.
struct ReaderFacts {
  /// First components of the repository's own importable modules ("mypkg", and "cuda" if there is a cuda.py on an
  /// import root), so that `import cuda` is known to be its own.
  std::unordered_set<std::string> own_modules;
  /// Names of modules of the tree, dotted, for relative imports and `from pkg import cuda`.
  std::unordered_set<std::string> own_module_paths;
  /// Lower-case device words of the loaded platforms; the readers know the ones that torch itself has ("xpu", "hip" …).
  std::unordered_set<std::string> device_words;
  /// Files that nearly repeat another one for a platform of their own, with the path of that other one.
  std::unordered_map<std::string, std::string> platform_copies;
};

struct ReadInput {
  std::string_view path;  // relative to the root, "/" as separator
  std::string_view text;  // decoded text; at least 64 readable bytes follow its end
  FileKind kind;
  std::span<const Hit> hits;  // of the search list and of the rules' triggers, sorted, in `text`
  const ReaderFacts* facts = nullptr;
  int depth = 0;  // pieces of other languages inside pieces: how deep this one is
};

/// Result of reading one file. Every hit lies in at least one site, or the audit gives it a site of kind `text`.
struct ReadOutput {
  std::vector<Site> sites;          // sorted by begin, then by wider first
  std::uint32_t damage = 0;         // places where the text is not well formed for its language
  std::deque<std::string> storage;  // unescaped pieces that the sites' views point into
  void clear() {
    sites.clear();
    damage = 0;
    storage.clear();
  }
};

/// Reads `input` and appends its sites. Linear in the size of the text, no recursion that follows the input's depth.
void read_python(const ReadInput& input, ReadOutput& output);
void read_notebook(const ReadInput& input, ReadOutput& output);
void read_cxx(const ReadInput& input, ReadOutput& output);
void read_shell(const ReadInput& input, ReadOutput& output);
void read_dockerfile(const ReadInput& input, ReadOutput& output);
void read_cmake(const ReadInput& input, ReadOutput& output);
void read_make(const ReadInput& input, ReadOutput& output);
void read_yaml(const ReadInput& input, ReadOutput& output);
void read_json(const ReadInput& input, ReadOutput& output);
void read_toml(const ReadInput& input, ReadOutput& output);
void read_ini(const ReadInput& input, ReadOutput& output);
void read_requirements(const ReadInput& input, ReadOutput& output);
void read_markdown(const ReadInput& input, ReadOutput& output);
void read_rst(const ReadInput& input, ReadOutput& output);
void read_text(const ReadInput& input, ReadOutput& output);

/// The reader of a language.
void read_source(const ReadInput& input, ReadOutput& output);

}  // namespace accelport
