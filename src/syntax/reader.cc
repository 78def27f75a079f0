#include "syntax/reader.h"

namespace accelport {

void read_source(const ReadInput& input, ReadOutput& output) {
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

}  // namespace accelport
