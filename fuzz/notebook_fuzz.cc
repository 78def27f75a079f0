#include <cstddef>
#include <cstdint>

#include "readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  accelport::fuzz_reader("a.ipynb", {reinterpret_cast<const char*>(data), size}, accelport::Language::notebook);
  return 0;
}
