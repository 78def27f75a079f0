#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"

namespace accelport {

/// What a use of a helper's function stands for on CUDA; data/port/helper.toml says what each means.
enum class HelperKind : std::uint8_t {
  literal,
  variable,
  callable,
  module,
  value,
  predicate,
  device,
  identity,
  keyword,
  question,
  private_,
};

struct HelperFunction {
  std::string name;
  HelperKind kind = HelperKind::private_;
  std::vector<std::string> stands_for;  // the first is its name; empty for `identity`, `question` and `private_`
  std::vector<std::string> imports;     // statements that its source needs
  std::vector<std::string> needs;       // other functions of the table
  std::string source;                   // ends with a newline
};

/// A call with a newer spelling that names the device type first.
struct HelperCall {
  std::string old_name;
  std::string new_name;
  std::vector<std::string> parameters;  // of the old one, by position
};

/// A function of torch.cuda and the one of torch that is the same on CUDA with a card present.
struct NeutralFunction {
  std::string cuda;
  std::string neutral;
  std::string since;      // the first torch that has it as it is meant here: "2.7"
  int arguments = 0;      // positional ones at most; both take them, and no others are the same
  bool question = false;  // asks whether there are cards
};

/// Names of torch.cuda that stay in the style `neutral`.
struct NeutralRest {
  std::vector<std::string> names;
  std::string reason;
  bool harmless = false;  // does nothing where another accelerator is used
};

/// What is written in the style `neutral`, which needs no helper.
struct NeutralTable {
  std::string device_type;  // the expression that is "cuda" there
  std::string since;
  std::vector<NeutralFunction> functions;
  std::vector<NeutralRest> rest;

  const NeutralFunction* find(std::string_view cuda) const;
  /// The one whose neutral name it is, or null.
  const NeutralFunction* find_neutral(std::string_view name) const;
  const NeutralRest* find_rest(std::string_view cuda) const;
};

/// What is written in the style `adapter` where a program starts.
struct AdapterTable {
  std::string import;                           // statements; @title@, @plug_in@ and @adapter@ stand for words
  std::set<std::string, std::less<>> standard;  // modules that do not load torch, so that they may come before
};

/// data/port/helper.toml: the module that a ported repository asks for its accelerator, and the equivalences that
/// follow from it.
struct HelperTable {
  std::vector<std::string> names;  // what the module may be called, the usual name first
  std::string head;
  std::vector<std::string> platform_imports;
  std::string before_platforms;
  std::string after_platforms;
  std::vector<HelperFunction> functions;
  std::vector<HelperCall> calls;
  std::vector<std::vector<std::string>> same;  // several spellings of one object
  std::set<std::string, std::less<>> loaded;   // modules that `import torch` loads
  std::set<std::string, std::less<>> present;  // names that every supported torch has
  NeutralTable neutral;
  AdapterTable adapter;

  const HelperFunction* find(std::string_view name) const;
};

/// Reads the table; errors name file:line.
Result<HelperTable> load_helper_table(const DataFile& file);

/// The table that is built into the program.
Result<HelperTable> embedded_helper_table();

/// The text of the helper for `platforms`, in their order, with the functions in `used` and those that they need, in
/// the order of the table. Names that the table does not have are passed over.
std::string render_helper(const HelperTable& table, const std::vector<const Platform*>& platforms,
                          const std::set<std::string>& used);

/// If `text` is what `render_helper` gives for some of `platforms` in any order and for the functions that `text` has,
/// the names of these functions; nothing for every other text.
std::optional<std::set<std::string>> rendered_functions(const HelperTable& table,
                                                        const std::vector<const Platform*>& platforms,
                                                        std::string_view text);

}  // namespace accelport
