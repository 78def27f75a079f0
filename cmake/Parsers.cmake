# The tree-sitter core and the grammars as one C library, `parsers`.
#
# The archives come from the Python package index (tools/fetch_parsers.sh), never from the tree.
# They are looked for in ACCELPORT_PARSERS, the user's cache folder and build/parsers, checked
# against requirements/parsers.txt, and unpacked into the build folder.

set(ACCELPORT_PARSERS "" CACHE PATH "Folder with the archives of requirements/parsers.txt")
set(parsers_list ${CMAKE_SOURCE_DIR}/requirements/parsers.txt)
set(parsers_root ${CMAKE_BINARY_DIR}/parsers)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${parsers_list})

execute_process(
  COMMAND ${CMAKE_SOURCE_DIR}/tools/fetch_parsers.sh ${ACCELPORT_PARSERS}
  OUTPUT_VARIABLE parsers_folder OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "The parser sources are missing. With a network run tools/fetch_parsers.sh; "
                      "without, copy the archives of requirements/parsers.txt into a folder and "
                      "configure with -DACCELPORT_PARSERS=FOLDER.")
endif()

# Unpacks one archive unless this very archive (by hash) is unpacked already.
function(unpack_parser name version hash)
  string(REPLACE "-" "_" stem ${name})
  set(stamp ${parsers_root}/${name}.sha256)
  if(EXISTS ${stamp})
    file(READ ${stamp} unpacked)
    if(unpacked STREQUAL hash)
      return()
    endif()
  endif()
  file(REMOVE_RECURSE ${parsers_root}/${name} ${parsers_root}/${stem}-${version})
  file(ARCHIVE_EXTRACT INPUT ${parsers_folder}/${stem}-${version}.tar.gz
       DESTINATION ${parsers_root})
  file(RENAME ${parsers_root}/${stem}-${version} ${parsers_root}/${name})
  file(WRITE ${stamp} ${hash})
endfunction()

# The value of a `#define NAME number` line.
function(read_define file name result)
  file(STRINGS ${file} line REGEX "^#define ${name} [0-9]+" LIMIT_COUNT 1)
  string(REGEX REPLACE ".* ([0-9]+).*" "\\1" value "${line}")
  set(${result} ${value} PARENT_SCOPE)
endfunction()

file(STRINGS ${parsers_list} rows REGEX "^tree-sitter")
set(grammars "")
foreach(row IN LISTS rows)
  string(REGEX MATCH "^([a-z-]+)==([0-9.]+) --hash=sha256:([0-9a-f]+)$" ok ${row})
  if(NOT ok)
    message(FATAL_ERROR "${parsers_list}: cannot read the line: ${row}")
  endif()
  set(name ${CMAKE_MATCH_1})
  unpack_parser(${name} ${CMAKE_MATCH_2} ${CMAKE_MATCH_3})
  if(NOT name STREQUAL "tree-sitter")
    list(APPEND grammars ${name})
  endif()
endforeach()

set(core ${parsers_root}/tree-sitter/tree_sitter/core/lib)
read_define(${core}/include/tree_sitter/api.h TREE_SITTER_LANGUAGE_VERSION newest)
read_define(${core}/include/tree_sitter/api.h TREE_SITTER_MIN_COMPATIBLE_LANGUAGE_VERSION oldest)

# Some archives come without `tree_sitter/*.h`, which their sources include.
foreach(header parser.h array.h alloc.h)
  configure_file(${core}/src/${header} ${parsers_root}/include/tree_sitter/${header} COPYONLY)
endforeach()

set(sources ${core}/src/lib.c)
foreach(grammar IN LISTS grammars)
  set(folder ${parsers_root}/${grammar}/src)
  read_define(${folder}/parser.c LANGUAGE_VERSION abi)
  if(abi LESS oldest OR abi GREATER newest)
    message(FATAL_ERROR "${grammar} has language version ${abi}; the core accepts ${oldest} to ${newest}")
  endif()
  list(APPEND sources ${folder}/parser.c)
  if(abi LESS 15)  # written for an older parser.h, which named the same two things differently
    set_source_files_properties(${folder}/parser.c PROPERTIES COMPILE_DEFINITIONS
                                "TSFieldMapSlice=TSMapSlice;version=abi_version")
  endif()
  if(EXISTS ${folder}/scanner.c)
    list(APPEND sources ${folder}/scanner.c)
  endif()
endforeach()

add_library(parsers STATIC ${sources})
target_include_directories(parsers SYSTEM PUBLIC ${core}/include)
target_include_directories(parsers PRIVATE ${core}/src ${parsers_root}/include)
target_compile_definitions(parsers PRIVATE _POSIX_C_SOURCE=200112L _DEFAULT_SOURCE)
target_compile_options(parsers PRIVATE -w -O2)
