#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "audit/audit.h"
#include "base/files.h"
#include "catalog/helper_table.h"
#include "edit/change.h"
#include "edit/configured.h"
#include "edit/import_roots.h"
#include "syntax/encoding.h"

namespace accelport {

/// An occurrence of a file that is to be rewritten.
struct Wanted {
  const Occurrence* occurrence = nullptr;
  const HelperFunction* function = nullptr;
  std::string stays = {};  // why it stays all the same, and all that changes together with it
};

/// Branches by accelerator of a file, and the names with "cuda" in them by which they are chosen.
struct BranchFacts {
  using Place = std::pair<int, std::uint32_t>;  // cell, and where the branches begin
  struct Family {
    bool served = false;      // the platform has a branch there
    std::size_t members = 0;  // occurrences that belong to the branch for CUDA
    std::string problem;      // why that cannot serve the platform
  };
  struct Question {
    std::string name;
    Place family;
    std::uint32_t line = 0;
    bool truth = false;  // its truth chooses a branch; else it is called in one
  };

  std::map<Place, Family> families;
  std::vector<Question> asked;                                 // the project's own names that branches depend on
  std::map<std::string, std::set<const Occurrence*>> answers;  // names that are true where one of these is
  std::map<std::string, std::set<const Occurrence*>> bodies;   // what stands in definitions of these names
  std::map<std::string, std::set<std::string>> stand_ins;      // … where one of these names is
};

/// One audited file on its way through the plan.
struct FileDraft {
  const AuditedFile* file = nullptr;
  std::vector<Wanted> wanted;  // by position
  std::string bytes;           // followed by kTextPadding zeros
  std::size_t size = 0;        // without them
  DecodedText decoded;         // of `bytes`; points into it
  std::string problem;         // why nothing in the file is rewritten
  ImportFacts facts;
  std::set<std::string> taken;                // names of the helper that the file uses for something else
  std::set<std::string> imported;             // … that it imports as the helper
  std::set<std::string> own_names;            // names that it takes from modules of the tree by `from … import`
  std::map<std::string, std::string> movers;  // words that stand for its classes with cuda() but no to()
  bool extra = false;                         // looked at for its readers only
  BranchFacts branches;
  std::vector<ConfiguredUse> uses;  // of configured values that torch is handed
  std::deque<Occurrence> readers;   // … that are to be mapped: among `wanted`, with `reader` and `key`, without an id

  std::string_view view() const { return std::string_view(bytes).substr(0, size); }
};

/// What the second pass is told about the tree.
struct TreeContext {
  const HelperTable& table;
  const std::vector<const Platform*>& platforms;
  bool old_decorators = false;
  const std::map<std::string, std::string>& movers;
  const std::set<std::string>& taken_names;  // names that some file takes from another one
};

struct FilePort {
  FileChange change;              // without edits if there are none
  std::vector<std::string> left;  // by FileDraft::wanted; "" if an edit settles it
  std::set<std::string> functions;
};

/// Reads a file's bytes and decodes them.
void read_bytes(const std::string& root, const Files& files, FileDraft& draft);

/// Reads a file and what its text says about imports, names and branches. `names` are those of the helper.
void read_draft(const std::string& root, const Files& files, const std::vector<std::string>& names,
                const std::vector<const Platform*>& platforms, FileDraft& draft);

/// Finds what reads these keys in a Python file that has been read.
void find_readers(const ConfiguredKeys& keys, FileDraft& draft);

/// Rewrites a file that gets its helper, called `name`, from `place`.
FilePort port_file(const FileDraft& draft, const TreeContext& tree, const std::string& name, const HelperPlace& place);

}  // namespace accelport
