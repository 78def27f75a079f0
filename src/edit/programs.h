#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "edit/file_port.h"
#include "edit/plan.h"
#include "edit/python_source.h"

namespace accelport {

/// A Python file as far as it matters where programs start.
struct ProgramFile {
  FileDraft draft;
  std::unique_ptr<PythonSource> source;
  bool guarded = false;  // it asks whether it is the program
  bool reaches = false;  // it, or a module of the tree that it imports, has places that a port changes

  /// The word by which an import statement names it.
  std::string_view word() const;
};

/// The Python programs of a tree: files that ask whether they are the program, `__main__.py`, and scripts that nothing
/// imports; of them those that have, or import from the tree, what a port changes.
class Programs {
 public:
  Programs(const Audit& audit, const PlanOptions& options, const Files& files);

  const std::vector<std::unique_ptr<ProgramFile>>& files() const { return files_; }
  bool is_program(const ProgramFile& file) const;

 private:
  void add(const AuditedFile& file);
  void follow_imports();

  std::deque<AuditedFile> plain_;  // files without an occurrence
  std::vector<std::unique_ptr<ProgramFile>> files_;
  std::set<std::string, std::less<>> packages_;  // folders with an __init__.py
  std::set<std::string, std::less<>> imported_;  // words that anything imports
};

}  // namespace accelport
