// The first byte picks the reader, the rest is the file.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using accelport::Language;
  struct Row {
    std::string_view path;
    Language language;
  };
  static constexpr Row kRows[] = {
      {"run.sh", Language::shell},
      {"Dockerfile", Language::dockerfile},
      {"CMakeLists.txt", Language::cmake},
      {"Makefile", Language::make},
      {".github/workflows/ci.yml", Language::yaml},
      {"docker-compose.yml", Language::yaml},
      {"a.json", Language::json},
      {"pyproject.toml", Language::toml},
      {"setup.cfg", Language::ini},
      {"requirements.txt", Language::requirements},
      {"README.md", Language::markdown},
      {"index.rst", Language::rst},
      {"a.txt", Language::text},
      {".vscode/launch.json", Language::json},
      {"environment.yml", Language::yaml},
  };
  if (size == 0) return 0;
  const Row& row = kRows[data[0] % std::size(kRows)];
  accelport::fuzz_reader(row.path, {reinterpret_cast<const char*>(data) + 1, size - 1}, row.language);
  return 0;
}
