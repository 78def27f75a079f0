#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "catalog/helper_table.h"
#include "edit/change.h"

namespace accelport {

/// The helper module of one folder.
struct HelperFile {
  std::string name;                 // of the module; empty if every name is taken
  std::string path;                 // relative to the root
  std::string before;               // empty if it is to be created
  bool by_hand = false;             // a person has changed it: it is used as it is
  std::set<std::string> functions;  // that it has
};

/// Chooses names for helpers and keeps what lies in the tree.
class HelperModules {
 public:
  HelperModules(std::string root, const Files& files, const HelperTable& table,
                std::vector<const Platform*> known_platforms, bool force = false)
      : root_(std::move(root)), files_(files), table_(table), known_(std::move(known_platforms)), force_(force) {}

  /// The helper of `folder`. `is_taken(name, exists)` tells whether a file that is to use it has another use for the
  /// name; `exists` if there is a helper of that name already.
  const HelperFile& choose(const std::string& folder, const std::function<bool(const std::string&, bool)>& is_taken);

  /// The files to create or to extend so that all of `folders` have the functions in `used`, each with the same text.
  std::vector<FileChange> changes(const std::set<std::string>& folders, const std::set<std::string>& used,
                                  const std::vector<const Platform*>& platforms) const;

  /// Whether these bytes are a helper of ours, perhaps changed by a person since.
  bool is_helper(std::string_view bytes) const;

 private:
  bool is_free(const std::string& folder, const std::string& name) const;
  std::optional<HelperFile> existing(const std::string& folder, const std::string& name) const;

  std::string root_;
  const Files& files_;
  const HelperTable& table_;
  std::vector<const Platform*> known_;
  bool force_;  // what a person has changed does not count
  std::map<std::string, HelperFile> by_folder_;
};

}  // namespace accelport
