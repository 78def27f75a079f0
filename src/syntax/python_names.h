#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "syntax/python_annotate.h"
#include "syntax/python_blocks.h"
#include "syntax/reader.h"

namespace accelport {

/// What a name or dotted chain stands for.
struct PyName {
  enum class Root : std::uint8_t {
    imported,  // a module or something out of one
    own,       // of the repository: its modules, functions, classes
    value,     // a variable or parameter
    unknown,   // nothing in the file binds it
    result,    // the chain continues a call or subscript
  };
  std::string api;  // as Site::api
  Root root = Root::unknown;
  bool certain = true;
};

/// Imports, aliases and scopes of one file. Names are looked into when they are first asked for.
class PyNames {
 public:
  PyNames(PyAnnotator& annotator, const PyBlocks& blocks, const ReadInput& input);

  /// The meaning of the chain [first, last] of names; both tokens as PyMark gives them.
  PyName resolve(std::uint32_t first, std::uint32_t last);
  /// The chain that ends with `token`, or a name without meaning if no chain ends there.
  PyName resolve_ending(std::uint32_t token);

  /// What an import statement says at `token`: the path, and whether it is the module's part. None elsewhere.
  struct Import {
    std::uint32_t token = 0;  // where the path or name begins
    std::string path;
    std::uint32_t bound = kNoToken;  // token of the name that it binds
    std::uint32_t bound_size = 0;    // what is bound: this many bytes of `path`
    std::uint32_t statement = 0;     // token of `import` or `from`
    bool module = false;
    bool has_hit = false;
  };
  const Import* import_at(std::uint32_t token) const;
  const std::vector<Import>& imports() const { return imports_; }
  /// Whether the module that a name is taken from, or the name that it is an alias of, has a hit: that one counts.
  bool is_beside_hit(const Import& import) const;

  /// Tokens of names bound to something whose import has a hit, wherever they are used. Sorted.
  void bound_uses(std::vector<std::uint32_t>& uses);
  /// Makes the name that `token` assigns one of these names.
  void follow_alias(std::uint32_t token);

  /// The variable that the name at `token` is: its scope, or kNone if it is none.
  std::uint32_t variable_scope(std::uint32_t token);
  /// The first token that binds the name at `token` to an own function, or kNoToken.
  std::uint32_t own_definition(std::uint32_t token);

 private:
  struct Binding {
    enum class Kind : std::uint8_t { imported, own, value };
    Kind kind = Kind::value;
    bool has_hit = false;
    bool is_none = false;
    std::string path;
  };
  /// A place that binds a name.
  struct Event {
    std::uint32_t scope = 0;
    std::uint32_t token = 0;
    std::uint32_t node = 0;
    std::uint32_t binding = 0;
    std::uint32_t until = kNoToken;  // for lambdas and comprehensions: where the name ends
  };
  struct Known {
    std::uint32_t first = 0;  // events [first, last), by scope and token
    std::uint32_t last = 0;
    std::uint32_t local_last = 0;  // then [last, local_last): those that end before their scope
    enum class State : std::uint8_t { unseen, busy, done } state = State::unseen;
  };

  static bool starts_own(std::string_view path);
  void read_imports();
  std::uint32_t read_import(std::uint32_t i, std::uint32_t end);
  std::uint32_t read_from(std::uint32_t i, std::uint32_t end);
  void add_import(Import import, std::uint32_t alias);
  std::string module_path(std::uint32_t& i, std::uint32_t end, bool& has_hit) const;
  std::string owned(std::string path) const;
  bool hit_in(std::uint32_t begin, std::uint32_t end) const;

  const Known& know(std::uint32_t name);
  void add_event(std::uint32_t token, std::vector<Event>& events, std::vector<Event>& locals);
  bool cannot_bind(std::uint32_t token) const;
  void add_bound(std::uint32_t token, std::uint32_t line, std::vector<Event>& events, std::vector<Event>& locals);
  std::uint32_t assigned_binding(std::uint32_t target);
  bool module_by_call(std::uint32_t first, std::uint32_t last, Binding& binding);
  void settle(std::vector<Event>& events) const;
  const Event* find_event(std::uint32_t token);
  const Event* find_in_scope(const Known& known, std::uint32_t scope, std::uint32_t token, bool own_scope) const;
  PyName unresolved(std::uint32_t first, std::uint32_t last) const;
  bool own_attribute(std::uint32_t first, std::uint32_t last, std::string& api);
  void append_chain(std::string& api, std::uint32_t first, std::uint32_t last) const;
  std::uint32_t new_binding(Binding binding);

  PyAnnotator& annotator_;
  const PyLexed& lexed_;
  const PyBlocks& blocks_;
  const ReadInput& input_;
  std::vector<Import> imports_;
  std::vector<std::uint32_t> binding_imports_;  // numbers of those that bind a name
  std::vector<std::string> stars_;              // modules of `from … import *`
  std::vector<Binding> bindings_;
  std::vector<Event> events_;
  std::vector<Known> known_;             // by name
  std::vector<std::uint32_t> followed_;  // names that follow_alias added
  int depth_ = 0;
};

}  // namespace accelport
