#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catalog/helper_table.h"
#include "syntax/python_annotate.h"
#include "syntax/python_blocks.h"

namespace accelport {

/// A Python text with all that is read off it before names are asked for. Not to be moved: the parts point at each
/// other.
struct PythonText {
  explicit PythonText(std::string_view text);
  PythonText(const PythonText&) = delete;
  PythonText& operator=(const PythonText&) = delete;

  std::string_view text;  // padded by the caller
  PyLexed lexed;
  PyAnnotator annotator;  // every line is annotated
  PyBlocks blocks;
  std::vector<std::uint32_t> parent;  // by line: the line whose block it stands in, or kNone
  std::vector<std::uint32_t> depth;   // by line: blocks around it

  bool is_name(std::uint32_t token) const;
  /// A name that is no attribute and no keyword of a call.
  bool is_variable(std::uint32_t token) const;
  /// The line or one of those around it is `line`, or `line` is kNone (the module).
  bool stands_in(std::uint32_t inner, std::uint32_t line) const;
};

/// One name of an import statement.
struct ImportItem {
  std::uint32_t statement = 0;  // token of `import` or `from`
  std::uint32_t bound = 0;      // token of the name that is bound; of a star, the star
  bool from = false;
  bool star = false;
  std::string module;  // as written, leading dots included
  std::string name;    // behind `import` of a `from`
  std::string alias;   // behind `as`, or empty

  /// The dotted path of what is bound; empty for what is relative or a star.
  std::string path() const;
};

/// How many dots a module begins with: so many packages a relative import climbs.
std::size_t leading_dots(std::string_view module);

/// What is known about the module that an import names.
struct HelperModule {
  bool is_helper = false;
  const std::set<std::string>* functions = nullptr;  // those that it has; null: all of the table
};

/// Tells whether a module path, as written ("pkg.accelerator", ".accelerator"), is the helper's.
using HelperCheck = std::function<HelperModule(std::string_view module)>;

/// What the names of one text certainly stand for, as far as torch and the helper are concerned. A name has a meaning
/// only if every statement that binds it in its scope gives it the same one; whatever is not certain has none.
class Bindings {
 public:
  Bindings(const PythonText& source, const HelperTable& table, const HelperCheck& is_helper);

  const std::vector<ImportItem>& imports() const { return imports_; }
  bool is_helper_import(const ImportItem& item) const;
  /// Whether every helper that is imported here has the function.
  bool helper_has(std::string_view function) const;
  /// A use of the helper: its name with a dot behind.
  bool is_helper(std::uint32_t token) const;
  /// The dotted path of the variable at `token`, or empty.
  std::string path_of(std::uint32_t token);
  /// True if the token itself binds its name.
  bool binds(std::uint32_t token);
  /// True if something binds the name in front of `token`, or nothing does at all.
  bool bound_before(std::uint32_t token);
  /// True if an attribute of the variable that `token` names is used anywhere.
  bool has_attributes(std::uint32_t token) const;
  /// True if `path` is what one of the helper's functions stands for.
  bool is_callable(std::string_view path) const;
  /// True if a function around `token` binds its name.
  bool is_local(std::uint32_t token);

  /// A chain of names that certainly is something out of torch, or the helper's module with names behind it.
  struct Chain {
    std::string path;
    std::uint32_t behind = 0;
    bool helper = false;
  };
  /// The chain that begins at `token`; empty path if it has no certain meaning. The last part stays apart if it is a
  /// method that moves something.
  Chain chain_at(std::uint32_t token);

 private:
  struct Event {
    std::uint32_t scope = 0;
    std::uint32_t token = 0;
    std::string path;
  };
  struct Known {
    std::vector<Event> events;
    bool poisoned = false;
    bool busy = true;
  };

  void read_imports();
  std::uint32_t read_module(std::uint32_t i, std::string& module) const;
  void read_import(std::uint32_t statement, std::uint32_t end);
  void read_from(std::uint32_t statement, std::uint32_t end);
  std::uint32_t read_alias(std::uint32_t i, ImportItem& item) const;
  const Known& know(std::uint32_t name);
  void add_occurrence(std::uint32_t token, Known& known);
  std::string assigned_path(std::uint32_t target);
  std::uint32_t scope_of(std::uint32_t token) const;
  const Event* find_event(std::uint32_t token, bool& certain);

  const PythonText& source_;
  const PyLexed& lexed_;
  const HelperTable& table_;
  std::vector<ImportItem> imports_;
  std::unordered_map<std::uint32_t, std::size_t> import_at_;  // bound token -> index
  std::vector<std::uint32_t> helper_names_;
  std::vector<std::uint32_t> helper_imports_;  // bound tokens
  std::vector<const std::set<std::string>*> helper_functions_;
  std::unordered_map<std::uint32_t, Known> known_;
  int depth_ = 0;
};

}  // namespace accelport
