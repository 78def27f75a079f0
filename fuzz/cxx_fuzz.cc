#include <cstddef>
#include <cstdint>

#include "readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  accelport::fuzz_reader("a.cu", {reinterpret_cast<const char*>(data), size}, accelport::Language::cxx);
  return 0;
}
