#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/helper_table.h"
#include "prove/bindings.h"

namespace accelport {

/// The bytes of a file of the tree, by its path; nothing if it cannot be read.
using TreeReader = std::function<std::optional<std::string>(const std::string& path)>;

/// What Python may import under the helper's name, or torch's, in a tree.
class TreeModules {
 public:
  TreeModules(const HelperTable& table, TreeReader read) : table_(table), read_(std::move(read)) {}

  /// Whether a file of this path would be the helper if it has the helper's text.
  bool has_helper_name(std::string_view path) const;
  /// The files of the tree, and those of them that are the helper, with the functions that they have.
  void set(const std::vector<std::string>& paths, std::map<std::string, std::set<std::string>, std::less<>> helpers);
  bool is_helper_file(std::string_view path) const { return helpers_.find(path) != helpers_.end(); }

  /// The helper that `module`, written in the file at `path`, certainly names. `doubt` says what stands in its way, if
  /// it may name the helper.
  HelperModule helper_of(std::string_view path, std::string_view module, std::string& doubt) const;
  /// Whether the file lies in `dots` packages, one in the other.
  bool is_packaged(std::string_view path, std::size_t dots) const;
  /// What may be imported as torch by the file at `path`, or nothing.
  std::optional<std::string> torch_beside(std::string_view path) const;

  /// What a new file of this path does although nothing that was there before names it, or nothing.
  std::optional<std::string> effect_of_new(std::string_view path) const;
  /// A file, among those that are not `added`, that imports the name of the new module at `path`; or nothing.
  std::optional<std::string> importer_of_new(std::string_view path, const std::set<std::string>& added) const;
  /// Whether a file of the tree can be imported as `module`.
  bool has_module(std::string_view module) const;
  /// Whether another file takes `name` from the module at `path`.
  bool is_taken(std::string_view path, std::string_view name) const;

 private:
  /// A module of the helper's name or torch's that is not the helper.
  struct Rival {
    std::string folder;  // in which the module lies
    std::string name;
    std::string path;
  };

  bool is_watched(std::string_view module) const;
  const Rival* rival(std::string_view folder, std::string_view name) const;
  bool package_binds(std::string_view folder, const std::string& name, int depth) const;
  bool module_binds(const std::string& path, const std::string& name, int depth) const;
  void read_imports(const std::string& path, const std::function<bool(const ImportItem&)>& visit) const;
  bool takes(const std::string& importer, std::string_view module, std::string_view name) const;

  const HelperTable& table_;
  TreeReader read_;
  std::vector<std::string> paths_;
  std::set<std::string, std::less<>> known_;
  std::map<std::string, std::set<std::string>, std::less<>> helpers_;  // by path
  std::vector<Rival> rivals_;
  std::map<std::string, std::string, std::less<>> bound_by_package_;  // helper's path -> the package's file
};

}  // namespace accelport
