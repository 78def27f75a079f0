#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace accelport {

/// Why a step could not be done. `place` is "path:line" (or a path, or empty), `hint` says what to do about it.
struct Error {
  enum class Kind { usage, input, data, system };

  Kind kind = Kind::input;
  std::string message;
  std::string place;
  std::string hint;
};

/// A value, or the reason why there is none.
template <typename T>
using Result = tl::expected<T, Error>;

/// "place: message (hint)" with the empty parts left out.
std::string to_string(const Error& error);

/// Shorthand for returning an error from a function that gives a Result.
inline tl::unexpected<Error> fail(Error::Kind kind, std::string message, std::string place = {},
                                  std::string hint = {}) {
  return tl::unexpected<Error>(Error{kind, std::move(message), std::move(place), std::move(hint)});
}

/// A broken promise of our own code: prints the condition and aborts, in release builds too. Never used on input.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace accelport

#define ACCELPORT_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::accelport::check_failed(#condition, __FILE__, __LINE__))

#define ACCELPORT_CONCAT_INNER(a, b) a##b
#define ACCELPORT_CONCAT(a, b) ACCELPORT_CONCAT_INNER(a, b)

/// `TRY(auto x, expression)` gives x the value of a Result, or returns its error from the enclosing function.
#define TRY(declaration, expression)                                                   \
  auto ACCELPORT_CONCAT(try_result_, __LINE__) = (expression);                         \
  if (!ACCELPORT_CONCAT(try_result_, __LINE__))                                        \
    return tl::unexpected(std::move(ACCELPORT_CONCAT(try_result_, __LINE__).error())); \
  declaration = std::move(*ACCELPORT_CONCAT(try_result_, __LINE__))

/// `TRY_DO(expression)` returns the error of a Result<void> from the enclosing function.
#define TRY_DO(expression)                                                       \
  do {                                                                           \
    auto try_do_result = (expression);                                           \
    if (!try_do_result) return tl::unexpected(std::move(try_do_result.error())); \
  } while (false)
