#pragma once

#include <string>
#include <string_view>

#include "catalog/finding.h"

namespace accelport {

/// Terminal styles; each gives its text unchanged if colour is off.
class Painter {
 public:
  explicit Painter(bool on) : on_(on) {}

  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string dim(std::string_view text) const { return paint("2", text); }
  std::string path(std::string_view text) const { return paint("35", text); }
  std::string removed(std::string_view text) const { return paint("31", text); }
  std::string added(std::string_view text) const { return paint("32", text); }
  /// Red for what a person must act on, yellow for what changes, green for what stays, dim for the rest.
  std::string decision(Decision decision, std::string_view text) const;

 private:
  std::string paint(std::string_view code, std::string_view text) const;
  bool on_;
};

/// `text` padded with blanks on the right to `width` columns of a terminal.
std::string padded(std::string_view text, int width);

/// `text` escaped for display and cut to `width` columns, with "…" if anything is missing.
std::string fitted(std::string_view text, int width);

/// "1 file", "12,345 files".
std::string counted(std::uint64_t number, std::string_view noun);

/// 12,345
std::string grouped(std::uint64_t number);

}  // namespace accelport
