#pragma once

#include <string_view>

#include "syntax/language.h"

namespace accelport {

/// The roles of a file whose language is known.
FileRole roles_of(std::string_view path, std::string_view head, Language language);

}  // namespace accelport
