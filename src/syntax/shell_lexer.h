#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace accelport {

/// A token of a shell script. Quotes, substitutions and escapes belong to the word they stand in.
struct ShellToken {
  enum class Kind : std::uint8_t { word, operation, redirect, comment, newline, here_document };

  Kind kind = Kind::word;
  Span span;
};

/// Splits shell text into tokens. Never fails: an unclosed quote or substitution is taken as an ordinary byte and
/// counted.
class ShellLexer {
 public:
  ShellLexer(std::string_view text, Span range);

  const std::vector<ShellToken>& tokens() const { return tokens_; }
  std::uint32_t damage() const { return damage_; }

  /// Where the substitution, group or quoted string that opens at `begin` ends (one behind its last byte); 0 if it does
  /// not.
  static std::uint32_t matching_end(std::string_view text, std::uint32_t begin, std::uint32_t end);

 private:
  struct Pending {
    std::string delimiter;
    bool strip_tabs = false;
  };

  void run();
  void add(ShellToken::Kind kind, std::uint32_t begin, std::uint32_t end);
  void read_operation();
  void read_redirect();
  void read_here_documents();
  void read_word();
  std::uint32_t skip_group(std::uint32_t at);
  bool at_command_start() const;

  std::string_view text_;
  std::uint32_t at_;
  std::uint32_t end_;
  std::uint32_t damage_ = 0;
  int failures_ = 0;  // unclosed groups so far; after a few no more are looked for, which keeps the work linear
  std::vector<Pending> pending_;
  std::vector<ShellToken> tokens_;
};

/// What the shell makes of a word: quotes and backslashes gone, expansions left as they are written.
std::string shell_value(std::string_view word);

}  // namespace accelport
