#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "syntax/python_names.h"

namespace accelport {

/// What a condition says if it holds, and if it does not.
struct PyCondition {
  Guard holds = Guard::none;
  Guard fails = Guard::none;
};

/// The first name of a chain that holds what a user chose: args, cfg …
bool is_option_root(std::string_view name);

/// Reads conditions and tells what a place in the file can rely on. Each condition is read once.
class PyGuards {
 public:
  PyGuards(PyAnnotator& annotator, const PyBlocks& blocks, PyNames& names, const ReaderFacts* facts);

  /// The guards at `token` of an annotated line: blocks around, early exits before, operands and conditional
  /// expressions.
  Guard at(std::uint32_t token);
  /// The guards of a line as a whole.
  Guard of_line(std::uint32_t line);
  /// Where the innermost family of branches begins that `token` belongs to; `at` has said that there is one.
  std::uint32_t family_of(std::uint32_t token);

 private:
  Guard of_node(std::uint32_t node);
  std::uint32_t family_of_node(std::uint32_t node);
  std::uint32_t begin_of(std::uint32_t chain) const;
  Guard own_guards(const PyNode& node, Guard inherited);
  bool is_family(std::uint32_t chain);
  const PyCondition& of_header(std::uint32_t line);
  Guard of_case(std::uint32_t line);
  bool skips_without_accelerator(std::uint32_t first_line, std::uint32_t end_line) const;

  PyCondition condition(std::uint32_t begin, std::uint32_t end, int depth);
  PyCondition joined(std::uint32_t begin, std::uint32_t end, PyWord word, int depth);
  PyCondition operand(std::uint32_t begin, std::uint32_t end, int depth);
  PyCondition comparison(std::uint32_t begin, std::uint32_t op, std::uint32_t end);
  PyCondition truth(std::uint32_t begin, std::uint32_t end);
  PyCondition of_name(const PyName& name, bool called, std::string_view written) const;
  bool strings_in(std::uint32_t begin, std::uint32_t end, bool device_beside, PyCondition& out) const;
  std::uint32_t find_comparison(std::uint32_t begin, std::uint32_t end) const;
  std::uint32_t next_at_level(std::uint32_t token) const;
  bool is_option(std::uint32_t first, std::uint32_t last, const PyName& name) const;
  PyName subject(std::uint32_t begin, std::uint32_t end, std::uint32_t& first, std::uint32_t& last);

  Guard in_region(std::uint32_t token);
  Guard before(std::uint32_t op, std::uint32_t begin);
  Guard arm_behind(std::uint32_t op, const PyRegion& region);
  const PyCondition& of_ternary(std::uint32_t if_op, const PyRegion& region);

  PyAnnotator& annotator_;
  const PyLexed& lexed_;
  const PyBlocks& blocks_;
  PyNames& names_;
  const ReaderFacts* facts_;
  std::vector<std::uint64_t> node_guards_;                          // kUnknown until read
  std::vector<std::int8_t> family_;                                 // by chain, -1 until read
  std::unordered_map<std::uint32_t, std::uint32_t> node_families_;  // those that have been asked for
  std::unordered_map<std::uint32_t, PyCondition> headers_;
  std::unordered_map<std::uint32_t, PyCondition> ternaries_;
};

}  // namespace accelport
