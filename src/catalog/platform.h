#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "catalog/pattern.h"
#include "catalog/toml.h"

namespace accelport {

enum class Severity : unsigned char { none, silent, error, hang };
std::string_view to_string(Severity severity);

/// One row of a platform's `python_api.tsv`.
struct ApiRow {
  std::string cuda;           // "torch.cuda.is_available"
  std::string target;         // the platform's own name, or empty
  std::string neutral;        // device-neutral PyTorch, or empty
  std::string neutral_since;  // torch version, or empty
  std::string status;         // same-shape, semantic-difference, missing, nvidia-only, other-vendor
  std::string note;
  std::string source;
};

/// One fact of a platform's `semantics.toml`.
struct SemanticFact {
  std::string id;
  Severity severity = Severity::silent;
  std::string finder;             // who can find it: static, runtime, both
  std::vector<std::string> apis;  // the CUDA-side APIs that it is about
  std::string text;
  bool verified = true;
  std::string source;
};

/// What a profile knows about one NVIDIA name.
struct Counterpart {
  std::string kind;  // variable, tool, option, library, package, path
  std::string cuda;
  std::string target;             // empty: there is none
  std::optional<Pattern> values;  // of a variable: those that mean the same under the target's name
  std::string note;
  std::string source;
};

/// A release of the package that adds a platform to torch. Versions are empty where no source gives one.
struct PlugInRelease {
  std::string package;
  std::string torch;
};

/// What a platform's adapter leaves wrong.
struct AdapterLimit {
  std::string api;    // a name as in docs/data-formats.md
  std::string text;   // sentences
  std::string check;  // the helper's function that asks the same question rightly, or empty
  std::string of;     // … if that stands for a string: the attribute or function that it is compared with
  std::string source;
};

/// A package that makes CUDA names answer for the platform once it is imported: `adapter.toml`.
struct Adapter {
  std::string name;
  std::string module;  // what is imported
  std::vector<AdapterLimit> limits;
};

/// Finds numbers by the API names of docs/data-formats.md: a name itself, else the longest prefix
/// ("torch.cuda.nvtx.*"). Call parentheses without arguments do not count; a member ("Tensor.cuda") fits any receiver
/// ("?.cuda").
class ApiIndex {
 public:
  void add(std::string_view name, std::uint32_t number);
  /// The numbers added for `name` itself, in the order of adding; null if there are none.
  const std::vector<std::uint32_t>* find(std::string_view name) const;
  /// Those of the longest prefix entry that fits `name`; null if none does.
  const std::vector<std::uint32_t>* find_prefix(std::string_view name) const;
  /// Calls `found(number)` for every prefix entry that fits `name`.
  template <typename Found>
  void each_prefix(std::string_view name, Found found) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::unordered_map<std::string, std::vector<std::uint32_t>, Hash, std::equal_to<>> names_;
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> prefixes_;  // longest first
};

/// The name without "()" and with "?" for the class of a member: what two spellings of one API have in common.
std::string api_key(std::string_view name);

/// A platform is one folder of data; nothing in the code knows any of them by name.
struct Platform {
  std::string name;  // the folder's name
  std::string title;
  std::string device;      // torch device type
  std::string backend;     // process-group back end
  std::string visibility;  // visibility variable of the process
  std::string plug_in;     // module whose import adds the platform to torch
  std::string package;     // that package's name, or empty
  std::string container;   // visibility variable of the container, or empty
  std::string wheel_note;  // what an installer must not be told, or empty
  std::vector<PlugInRelease> releases;
  std::string collective_prefix;  // of the variables that set up its collectives
  std::string activity;           // its member of torch.profiler.ProfilerActivity, or empty
  std::vector<ApiRow> api;
  std::vector<SemanticFact> facts;
  std::vector<Counterpart> counterparts;
  std::optional<Adapter> adapter;
  TomlValue profile;  // all of profile.toml, for what has no field here

  /// The row for an API, or null. "torch.cuda.foo()" and "torch.cuda.foo" are the same; so are "?.cuda" and
  /// "Tensor.cuda".
  const ApiRow* find_api(std::string_view name) const;
  /// Whether its package is imported as `import` and its adapter as `module`.
  bool has_adapter(std::string_view import, std::string_view module) const {
    return adapter && plug_in == import && adapter->module == module;
  }
  const Counterpart* find_counterpart(std::string_view kind, std::string_view name) const;
  /// The facts about an API (a site's `api`), in the order of the file. A fact about a call with one literal argument
  /// is among them if `first_argument` is that argument.
  std::vector<const SemanticFact*> facts_for(std::string_view api, std::string_view first_argument = {}) const;

  ApiIndex api_index;   // into `api`
  ApiIndex fact_index;  // into `facts`
};

template <typename Found>
void ApiIndex::each_prefix(std::string_view name, Found found) const {
  for (const auto& [prefix, numbers] : prefixes_) {
    if (name.substr(0, prefix.size()) != prefix) continue;
    for (const std::uint32_t number : numbers) found(number);
  }
}

}  // namespace accelport
