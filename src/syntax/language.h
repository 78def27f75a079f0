#pragma once

#include <cstdint>
#include <string_view>

namespace accelport {

/// What reads a file. Several kinds of file share a reader; `FileRole` tells them apart for the rules.
enum class Language : std::uint8_t {
  python,
  notebook,
  cxx,    // C, C++, CUDA and the sources made from them
  shell,  // sh, bash, Slurm scripts, .env
  dockerfile,
  cmake,
  make,
  yaml,
  json,
  toml,
  ini,  // ini, cfg, properties
  requirements,
  markdown,
  rst,
  text,  // everything else
};

/// What a file is for, as far as its path and first bytes tell. One file can have several roles.
enum class FileRole : std::uint32_t {
  none = 0,
  test = 1u << 0,  // test modules and what lies in test folders
  docs = 1u << 1,  // documentation folders and README-like files
  example = 1u << 2,
  build_script = 1u << 3,  // setup.py, pyproject.toml, CMake, Make, conda recipes
  setup_py = 1u << 4,
  device_source = 1u << 5,  // .cu, .cuh, .mu …
  requirements = 1u << 6,   // requirements*.txt, constraints
  conda = 1u << 7,          // environment.yml, meta.yaml
  lock = 1u << 8,           // lock files and frozen lists
  dockerfile = 1u << 9,
  compose = 1u << 10,
  kubernetes = 1u << 11,
  ci = 1u << 12,  // workflows and pipelines
  slurm = 1u << 13,
  licence = 1u << 14,
  changelog = 1u << 15,
  data = 1u << 16,         // stored results, golden files, vocabularies: artefacts that nobody edits by hand
  vendored = 1u << 17,     // third_party, vendor, extern, submodules
  generated = 1u << 18,    // build outputs, minified or marked as generated
  tool_config = 1u << 19,  // linters, coverage, spell checkers, editors
  shell = 1u << 20,
  notebook = 1u << 21,
  beside = 1u << 22,  // written for one platform beside another file; see kBesideMark
};

constexpr FileRole operator|(FileRole a, FileRole b) {
  return static_cast<FileRole>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr FileRole& operator|=(FileRole& a, FileRole b) { return a = a | b; }
constexpr bool has(FileRole set, FileRole role) {
  return (static_cast<std::uint32_t>(set) & static_cast<std::uint32_t>(role)) != 0;
}

/// Stands in the first comment of a requirements file, environment or Dockerfile that was written for a platform beside
/// another one, which stays as it is.
inline constexpr std::string_view kBesideMark = ": written beside ";

struct FileKind {
  Language language = Language::text;
  FileRole roles = FileRole::none;
};

/// Decides from the path, and from the first bytes where the path does not tell ("#!", "#SBATCH", "apiVersion:" …).
/// `head` is the beginning of the file, at least 4 KiB of it or all.
FileKind file_kind(std::string_view path, std::string_view head);

/// Only its language, which costs a fraction.
Language file_language(std::string_view path, std::string_view head);

/// The language of a fence or cell name such as "python", "bash", "dockerfile", "cuda"; text if unknown.
Language language_of_name(std::string_view name);

std::string_view to_string(Language language);

}  // namespace accelport
