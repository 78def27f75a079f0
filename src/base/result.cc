#include "base/result.h"

#include <cstdio>
#include <cstdlib>

namespace accelport {

std::string to_string(const Error& error) {
  std::string text = error.place.empty() ? error.message : error.place + ": " + error.message;
  if (!error.hint.empty()) text += " (" + error.hint + ")";
  return text;
}

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "accelport: internal error at %s:%d: %s does not hold\n", file, line, condition);
  std::abort();
}

}  // namespace accelport
