#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/sink.h"

namespace accelport {

/// One word of a command: where it stands and what it says without its quotes ("$NAME" stays).
struct CommandWord {
  Span span;
  std::string value;
};

/// Gives the words of one command their sites: kind command (or variable for `env A=b`, `-e A=b`), callee the program
/// with its verb ("pip install"), keyword the option a word is the value of, api tool:, package:, image:, env:.
/// `expand`, if set, is called for every word first and adds the sites inside of it (expansions of a shell).
class CommandLine {
 public:
  CommandLine(SiteSink& sink, std::vector<CommandWord> words, std::function<void(const CommandWord&)> expand = nullptr);

  void emit();

  /// After `emit`: the program that was run last in the chain of wrappers, with its verb.
  const std::string& callee() const { return callee_; }

 private:
  bool at_end() const { return at_ >= words_.size(); }
  const CommandWord& word() const { return words_[at_]; }
  bool is_option(std::size_t index) const;

  void emit_program();
  void emit_verb();
  void find_first_argument(std::size_t from);
  void emit_wrapper();
  void emit_test();
  void emit_arguments();
  void emit_option();
  void emit_argument(const std::string& option);
  void emit_assignment(std::string_view option);
  void emit_code(Language language);
  Site* add(const CommandWord& word, Context context);
  bool option_takes_value(std::string_view option) const;
  bool starts_program(std::size_t index) const;

  SiteSink& sink_;
  std::vector<CommandWord> words_;
  std::function<void(const CommandWord&)> expand_;
  std::size_t at_ = 0;
  int argument_ = 0;
  std::string program_;
  std::string callee_;
  std::string first_argument_;
  bool again_ = false;  // another program follows (wrapper, container)
};

/// True if `text` is NAME=… (or NAME+=…); `name_size` gets the size of NAME.
bool is_assignment(std::string_view text, std::size_t& name_size);

/// Adds a site for the assignment NAME=value in `span`.
Site* add_variable(SiteSink& sink, Span span, std::string_view name, std::string_view value, Context context);

/// Splits `text` at blanks into words with offsets from `begin`; quotes group.
std::vector<CommandWord> split_words(std::string_view text, std::uint32_t begin);

}  // namespace accelport
