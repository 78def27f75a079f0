#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/cxx_conditions.h"
#include "syntax/cxx_lexer.h"
#include "syntax/sink.h"

namespace accelport {

/// Walks the tokens of a C++ or CUDA text once and gives the sites. Its parts: cxx_reader.cc (statements, brackets,
/// scopes), cxx_directives.cc (the preprocessor), cxx_names.cc (names, literals and their places).
class CxxWalker {
 public:
  explicit CxxWalker(SiteSink& sink) : sink_(sink), text_(sink.text()), conditions_(sink.input().facts) {}

  void read();

 private:
  struct Bracket {
    char opener = '(';
    std::string callee;           // what is called; "if", "for" … for keywords
    std::string_view first;       // the first argument's text if it is one token
    std::size_t site = SIZE_MAX;  // of the callee, to be told its arguments
    std::uint32_t begin = 0;
    int argument = 0;
    bool empty = true;
    bool definition = false;  // a parameter list
    bool condition = false;   // of if or while
  };
  struct Scope {
    Guard guards;
    std::string_view function;
    std::string_view class_name;
    std::size_t brackets;  // open outside of the scope (the body of a lambda in a call)
  };

  struct Launch {
    std::string callee;
    std::size_t site = SIZE_MAX;
  };

  using Kind = CxxToken::Kind;

  void token();
  void comment(Span span);
  void directive();
  void include(const CxxToken& header);
  void macro_condition(std::string_view name, std::size_t begin, std::size_t end, std::string_view condition);
  void define(std::size_t begin);
  void string(Span span);
  void number();
  void template_arguments(std::size_t end);
  void launch();
  void end_launch();
  void word();
  void using_declaration();
  void chain();
  std::size_t chain_end(std::string& api, std::size_t& last) const;
  std::string expand(std::string api) const;
  void fill_place(Site& site, std::size_t begin, std::size_t end);
  void open_bracket(char opener, std::string callee, std::size_t site, bool definition);
  void close_bracket();
  void punctuation();
  void open_scope();
  void close_scope();
  void control(Guard guard);
  std::size_t outer_brackets() const { return scopes_.empty() ? 0 : scopes_.back().brackets; }
  bool in_bracket() const { return brackets_.size() > outer_brackets(); }
  bool is(std::size_t index, std::string_view what) const { return index < tokens_.size() && at(index) == what; }
  std::string_view at(std::size_t index) const { return slice(text_, tokens_[index].span); }
  bool is_word(std::size_t index) const { return index < tokens_.size() && tokens_[index].kind == Kind::identifier; }
  bool looks_like_definition(std::size_t begin) const;

  SiteSink& sink_;
  std::string_view text_;
  CxxConditions conditions_;
  std::vector<CxxToken> tokens_;
  std::size_t i_ = 0;
  std::vector<Bracket> brackets_;
  std::vector<Scope> scopes_;
  Guard flow_guards_ = Guard::none;  // of if, else, loops
  Guard base_ = Guard::none;         // of the file
  Guard pending_ = Guard::none;      // of the statement behind a condition, until its end
  bool has_pending_ = false;
  Guard last_condition_ = Guard::none;  // for `else`
  std::string_view next_function_;      // named by the parameter list that just closed
  std::string_view next_class_;
  Launch launched_;      // the kernel in front of the open `<<<`
  std::string target_;   // left side of the statement's assignment
  bool prints_ = false;  // the statement writes to a stream of messages
  std::string_view class_name_;
  std::map<std::string, std::string, std::less<>> aliases_;
};

}  // namespace accelport
