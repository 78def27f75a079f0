#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace accelport {

/// What one file's text tells about how it is imported and what it imports.
struct ImportFacts {
  std::string path;
  std::set<std::string, std::less<>> modules;  // absolute modules that it imports
  int relative = 0;                            // imports that begin with a dot
  bool test = false;
  bool main = false;  // it has a part for when it is run as a program
};

/// Where a file finds its helper, and the words that import it; the helper's name is appended.
struct HelperPlace {
  std::string folder;  // relative to the root, "" for the root itself
  std::string from;    // "" for `import NAME`, else the X of `from X import NAME`
  std::string statement(std::string_view name) const;
};

/// Finds the folder from which each file of a tree can import: a package that is built for others keeps its helper
/// inside; everything else takes it from the folder that its programs run in.
class ImportRoots {
 public:
  /// `facts` are those of the files that have something to change; `helpers` the modules that earlier ports have
  /// written: their packages count although nothing else in them may be left to change.
  ImportRoots(std::string root, const Files& files, const std::vector<ImportFacts>& facts,
              const std::set<std::string>& helpers);

  HelperPlace place(const ImportFacts& facts) const;

  /// The same for a helper whose folder the user has chosen; nothing if it is not sure that the file can import it.
  std::optional<HelperPlace> place_at(const std::string& folder, const ImportFacts& facts) const;

  /// True for a file among settings that some other program executes by itself, from nobody knows where.
  bool is_settings(const ImportFacts& facts) const;

 private:
  bool exists(const std::string& path) const;
  bool is_package(const std::string& folder) const { return exists(join_path(folder, "__init__.py")); }
  bool is_distributed(const std::string& package, int reach) const;
  std::string top_package(const std::string& folder) const;
  bool prefers_relative(const std::string& package, const ImportFacts& facts) const;
  bool is_on_its_own(const std::string& package, const ImportFacts& facts) const;
  HelperPlace inside(const std::string& package, const ImportFacts& facts) const;
  std::string imported_package(const ImportFacts& facts, const std::string& own) const;
  std::string root_by_dotted_import(const std::string& path) const;

  std::string root_;
  const Files& files_;
  std::map<std::string, std::string> packages_;          // distributed top packages: name, folder
  std::map<std::string, std::pair<int, int>> styles_;    // by top package: relative and absolute imports of its own
  std::map<std::string, std::set<std::string>> dotted_;  // modules, by the folders of the files that import them
};

}  // namespace accelport
