# Puts every file below data/ (and python/accelport/simulator/, as simulator/) into the program, sorted by path: an assembler file includes the bytes,
# a generated source lists them. src/catalog/embedded.h declares the list. Sets EMBEDDED_SOURCES.

file(GLOB_RECURSE embedded_paths CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/data
     ${CMAKE_SOURCE_DIR}/data/*)
list(FILTER embedded_paths EXCLUDE REGEX "(^|/)[.]|~$|__pycache__/")
list(TRANSFORM embedded_paths PREPEND data/)
# The Python side of the simulated card, which `run` writes into a private folder.
file(GLOB simulator_paths CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}
     ${CMAKE_SOURCE_DIR}/python/accelport/simulator/*.py)
list(APPEND embedded_paths ${simulator_paths})
# What a rung of `verify` runs, which the program writes into a private folder too.
file(GLOB rung_paths CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/python/accelport/rungs/*.py)
list(APPEND embedded_paths ${rung_paths} python/accelport/evidence.py)
list(SORT embedded_paths)

set(assembly "  .section .rodata\n")
set(symbols "")
set(rows "")
set(files "")
set(number 0)
foreach(path IN LISTS embedded_paths)
  set(symbol accelport_embedded_${number})
  string(REGEX REPLACE "^(data|python/accelport)/" "" name ${path})
  string(APPEND assembly "  .global ${symbol}, ${symbol}_end\n  .balign 16\n${symbol}:\n"
                         "  .incbin \"${CMAKE_SOURCE_DIR}/${path}\"\n${symbol}_end:\n  .byte 0\n")
  string(APPEND symbols "extern const char ${symbol}[], ${symbol}_end[];\n")
  string(APPEND rows "      file(\"${name}\", ${symbol}, ${symbol}_end),\n")
  list(APPEND files ${CMAKE_SOURCE_DIR}/${path})
  math(EXPR number "${number} + 1")
endforeach()
string(APPEND assembly "  .section .note.GNU-stack,\"\",%progbits\n")

file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/embedded_bytes.S CONTENT "${assembly}" @ONLY)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/embedded.cc @ONLY CONTENT [=[
#include "catalog/embedded.h"

#include <array>
#include <cstddef>

extern "C" {
@symbols@}

namespace accelport {

namespace {

[[maybe_unused]] EmbeddedFile file(std::string_view path, const char* begin, const char* end) {
  return {path, {begin, static_cast<std::size_t>(end - begin)}};
}

}  // namespace

std::span<const EmbeddedFile> embedded_files() {
  static const std::array<EmbeddedFile, @number@> files{{
@rows@  }};
  return files;
}

}  // namespace accelport
]=])
set(EMBEDDED_SOURCES ${CMAKE_BINARY_DIR}/generated/embedded_bytes.S
                     ${CMAKE_BINARY_DIR}/generated/embedded.cc)
set_source_files_properties(${CMAKE_BINARY_DIR}/generated/embedded_bytes.S
                            PROPERTIES OBJECT_DEPENDS "${files}")
