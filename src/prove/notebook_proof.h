#pragma once

#include <string_view>

#include "prove/prove.h"

namespace accelport {

/// Compares a notebook before and after the port: all but the sources of its code cells byte by byte, these as one
/// Python text, cell behind cell. A magic or a shell command counts as its own bytes. The differences' lines are those
/// of the file.
Proof prove_notebook(std::string_view original, std::string_view ported, const HelperTable& table,
                     const FileSurroundings& around = {});

}  // namespace accelport
