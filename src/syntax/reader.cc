#include "syntax/reader.h"

#include <algorithm>

namespace accelport {
namespace {

/// A file that nearly repeats another one is an occurrence of its own: its first line stands for it.
void add_copy_site(const ReadInput& input, ReadOutput& output) {
  if (input.facts == nullptr || input.depth != 0) return;
  const auto copy = input.facts->platform_copies.find(std::string(input.path));
  if (copy == input.facts->platform_copies.end() || input.text.empty()) return;
  Site site;
  site.span = {0, static_cast<std::uint32_t>(std::min(input.text.find('\n'), input.text.size()))};
  site.language = input.kind.language;
  site.flows = Flow::platform_copy;
  site.value = copy->second;
  if (site.span.size() != 0) output.sites.insert(output.sites.begin(), std::move(site));
}

void read_language(const ReadInput& input, ReadOutput& output) {
  switch (input.kind.language) {
    case Language::python:
      return read_python(input, output);
    case Language::notebook:
      return read_notebook(input, output);
    case Language::cxx:
      return read_cxx(input, output);
    case Language::shell:
      return read_shell(input, output);
    case Language::dockerfile:
      return read_dockerfile(input, output);
    case Language::cmake:
      return read_cmake(input, output);
    case Language::make:
      return read_make(input, output);
    case Language::yaml:
      return read_yaml(input, output);
    case Language::json:
      return read_json(input, output);
    case Language::toml:
      return read_toml(input, output);
    case Language::ini:
      return read_ini(input, output);
    case Language::requirements:
      return read_requirements(input, output);
    case Language::markdown:
      return read_markdown(input, output);
    case Language::rst:
      return read_rst(input, output);
    case Language::text:
      return read_text(input, output);
  }
}

}  // namespace

void read_source(const ReadInput& input, ReadOutput& output) {
  read_language(input, output);
  add_copy_site(input, output);
}

}  // namespace accelport
