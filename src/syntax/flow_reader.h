#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/command_line.h"
#include "syntax/sink.h"

namespace accelport {

/// Reads bracketed values: JSON as a whole, YAML's flow style, TOML's arrays and inline tables. Tolerant: comments,
/// trailing commas, several roots and wrong brackets are taken as they come.
class FlowReader {
 public:
  enum class Style : std::uint8_t { json, yaml, toml };

  FlowReader(SiteSink& sink, Style style, std::string path) : sink_(sink), style_(style), base_(std::move(path)) {}

  /// Reads from `begin`, which is at a bracket, to behind the one that matches, and gives that offset.
  std::uint32_t read_value(std::uint32_t begin, std::uint32_t end);
  /// Reads everything up to `end`.
  void read_all(std::uint32_t begin, std::uint32_t end);

 private:
  struct Frame {
    bool is_map;
    std::string_view key;  // of the entry that is being read
  };

  void step();
  void skip_comment();
  bool at_comment() const;
  void read_scalar();
  void close();
  void end_entry();
  void flush_words();
  std::uint32_t string_end(std::uint32_t begin) const;
  std::uint32_t plain_end(std::uint32_t begin) const;
  bool key_follows(std::uint32_t at) const;
  void add_value(Span raw, Span inner, bool quoted);
  void add_key(Span raw, std::uint32_t after);
  std::string path() const;

  SiteSink& sink_;
  Style style_;
  std::string base_;
  std::vector<Frame> frames_;
  std::vector<CommandWord> words_;  // of a list that is a command
  std::uint32_t at_ = 0;
  std::uint32_t end_ = 0;
};

/// Undoes JSON's escapes; unknown ones stay.
std::string unescape_json(std::string_view text);

}  // namespace accelport
