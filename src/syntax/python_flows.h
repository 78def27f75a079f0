#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "syntax/python_names.h"

namespace accelport {

/// Follows values from a literal to their uses inside one file: through expressions, variables, parameters, attributes
/// and options. All literals are added first, then `finish` follows them together, so every variable is looked into
/// once.
class PyFlows {
 public:
  PyFlows(PyAnnotator& annotator, const PyBlocks& blocks, PyNames& names, const ReaderFacts* facts);

  /// Adds the string at `token` (which `place` and `value` describe); the answer is its number for `flows`.
  std::uint32_t add_string(std::uint32_t token, std::string_view value);
  void finish();
  Flow flows(std::uint32_t number) const;

 private:
  /// What is known of one expression's way: the sinks it met, and the variables it went into.
  struct Way {
    Flow flow = Flow::none;
    bool compared = false;
    std::uint32_t cells[2] = {kNone, kNone};
  };
  /// A variable (by scope and name), or every attribute of a name.
  struct Cell {
    std::uint32_t scope = 0;  // kNone for attributes
    std::uint32_t name = 0;
    std::uint32_t start = 0;  // first occurrence to look at
    Flow flow = Flow::none;
    bool compared = false;
    bool function = false;  // the value is what a call of the name gives
  };

  void follow(PyPlace place, Way& way);
  bool step(PyPlace& place, Way& way);
  bool step_argument(PyPlace& place, Way& way);
  bool step_object(PyPlace& place, Way& way);
  bool step_operand(PyPlace& place) const;
  bool step_element(PyPlace& place, Way& way);
  void assigned(const PyPlace& place, Way& way);
  void subscripted(const PyPlace& place, Way& way);
  void compared(const PyPlace& place, Way& way);
  void option(std::uint32_t opener, Way& way);
  void passed_to_own(const PyPlace& place, Way& way);
  void loop_target(const PyPlace& place, Way& way);
  bool statement_sink(std::uint32_t token, Way& way) const;
  PyPlace place_of_call(std::uint32_t opener) const;
  PyPlace place_of_bracket(std::uint32_t opener) const;

  void add_cell(Way& way, std::uint32_t scope, std::uint32_t name, std::uint32_t start, bool function = false);
  void add_variable(Way& way, std::uint32_t token);
  void add_attribute(Way& way, std::string_view name);
  void look_into(std::uint32_t cell);
  void use(std::uint32_t cell, std::uint32_t token);

  Flow collection(std::uint32_t token);
  Flow read_collection(std::uint32_t opener);
  Flow read_string(std::uint32_t token) const;
  std::string text_value(std::uint32_t token) const;
  std::uint32_t first_string_argument(std::uint32_t opener) const;

  PyAnnotator& annotator_;
  const PyLexed& lexed_;
  const PyBlocks& blocks_;
  PyNames& names_;
  const ReaderFacts* facts_;
  std::vector<Way> ways_;
  std::vector<Cell> cells_;
  std::unordered_map<std::uint64_t, std::uint32_t> cell_numbers_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;  // the first cell's value goes into the second
  std::unordered_map<std::uint32_t, Flow> collections_;         // by opening bracket
};

}  // namespace accelport
