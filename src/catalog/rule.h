#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/finding.h"
#include "catalog/pattern.h"
#include "syntax/site.h"

namespace accelport {

/// One test on a site. Every field that is set must hold; a field with several values holds if one of them does.
/// Names and globs are compared as `glob_match` does ("*" stands for anything, dots included).
struct Condition {
  std::uint32_t languages = 0;                 // bits of 1 << Language; 0 = any
  std::uint32_t kinds = 0;                     // bits of 1 << SiteKind; 0 = any
  std::uint64_t contexts = 0;                  // bits of 1 << Context; 0 = any
  FileRole roles = FileRole::none;             // any of these
  FileRole roles_all_absent = FileRole::none;  // none of these
  Guard guards = Guard::none;                  // any of these
  Guard guards_all_absent = Guard::none;
  Flow flows = Flow::none;
  Flow flows_all_absent = Flow::none;
  NameSet api;  // resolved dotted name
  NameSet callee;
  NameSet keyword;
  NameSet first_argument;
  NameSet function;  // enclosing function
  NameSet class_name;
  NameSet not_api;
  NameSet not_callee;
  NameSet not_keyword;
  NameSet not_function;
  std::vector<std::string> path;  // patterns for the file's path
  NameSet has_keyword;            // one of the call's keyword names is among these
  NameSet lacks_keyword;          // none of them is (and there is no "**")
  std::optional<Pattern> text;    // regular expression searched in the site's bytes
  std::optional<Pattern> value;   // … in its value
  std::optional<Pattern> after;   // … in the bytes that follow the site (a bounded number of them)
  std::optional<Pattern> not_after;
  std::vector<std::string> file_has;     // one of these stands somewhere in the file
  std::vector<std::string> file_lacks;   // none of these does
  std::vector<std::string> preceded_by;  // one of these stands in the file before the site
  std::optional<Pattern> not_text;
  std::optional<Pattern> not_value;
  std::optional<bool> called;
  std::optional<int> argument;
  std::optional<int> min_positional;
  std::optional<int> max_positional;
  std::optional<bool> certain_name;
};

/// What to say about a site. Fields left out in the TOML are filled from the rule's defaults when the rule is loaded.
struct Outcome {
  std::vector<Condition> when;  // holds if one of them does; empty = always
  Category category = Category::none;
  Decision decision = Decision::ignore;
  Means means = Means::null;
  Confidence confidence = Confidence::certain;
  std::optional<Phase> phase;    // left out: derived from the category and the file
  std::optional<Effort> effort;  // left out: derived from decision and confidence
  std::string reason;            // for people; {api} {text} {value} {keyword} {callee} are filled in
  PortAction action = PortAction::none;
  std::string helper;        // function of data/port/helper.toml that a rewrite uses; its kind says how
  bool counterpart = false;  // a rewrite sets the platform's variable beside this one instead of using the helper
  bool branch = false;       // retained as a part of a branch, which `port` widens as a whole or not at all
  std::string reader;  // function of the helper that maps this value where a program reads it; nothing is edited here
  std::string replacement;  // what `port` would write, for people; same placeholders; empty if it writes nothing here
};

/// An example that the loader and the tests run: the sites of `source` that this rule must (or must not) explain.
struct RuleCase {
  std::string path;  // the file's name, "example.py" if left out
  std::string source;
  std::string copy_of;  // the audit found that the file nearly repeats this one
  struct Expected {
    int line = 0;
    std::string text;  // what the occurrence's text begins with
    std::optional<Category> category;
    std::optional<Decision> decision;
  };
  std::vector<Expected> expected;  // empty: the rule must explain nothing in `source`
  int first_line = 1;              // number that `expected` gives to the first line of `source`
  int line = 0;                    // in the rule's file
};

/// A rule is one TOML file of `data/rules`; its id is the file's name. The first rule in order whose condition holds
/// explains the site; among its outcomes the first that holds.
struct Rule {
  std::string id;
  std::string summary;  // one line, names what is wrong
  std::string why;      // paragraphs for `explain`
  std::string group;    // folder: torch, strings, packages, environment, shell, files, cxx, docs, own, practice
  int order = 500;      // smaller first; ties by id
  std::vector<Condition> match;       // one of them must hold
  std::vector<Outcome> outcomes;      // never empty; the last one always holds
  std::vector<std::string> triggers;  // literals that bring a file to the reader though no term occurs in it
  std::vector<RuleCase> cases;
  std::string source;  // where the knowledge is from, if not from our own reading
};

}  // namespace accelport
