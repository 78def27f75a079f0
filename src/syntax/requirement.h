#pragma once

#include <string>
#include <string_view>

#include "syntax/site.h"

namespace accelport {

/// One entry of a list of packages: "torch==2.1.0+cu118 ; python_version < '3.9'", "pytorch-cuda=11.8",
/// "conda-forge::x".
struct Requirement {
  std::string name;          // canonical: lower-case, "-" for "_" and "."; empty if the text is no requirement
  std::string_view extras;   // "[cuda]" without the brackets
  std::string_view version;  // "==2.1.0+cu118", "=11.8", or the address behind "@"
  std::string_view marker;   // behind ";"
};

Requirement parse_requirement(std::string_view text);

/// "Flash_Attn" → "flash-attn".
std::string canonical_package(std::string_view name);

/// Sets api "package:NAME" and value (the version part) of a site for `text`; false if it is no requirement.
bool describe_requirement(std::string_view text, Site& site);

}  // namespace accelport
