#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/process.h"
#include "catalog/catalog.h"
#include "prove/prove.h"

namespace accelport {

/// A file whose bytes are not those of the base revision.
struct ProvenFile {
  enum class Status : std::uint8_t {
    identical,      // changed, and proven to do the same with CUDA present
    different,      // Python, and not the same
    unreadable,     // Python that could not be parsed, or a file that could not be read
    text,           // no Python: nothing is claimed about its changes
    removed,        // there in the base revision only
    added,          // new: it takes no part in the comparison
    helper,         // the helper, byte for byte what the table gives
    beside,         // new: a list of packages or an image for a platform, written beside that for CUDA
    helper_edited,  // a file of the helper's name that is something else
  };

  std::string path;  // relative to the root
  Status status = Status::identical;
  std::vector<Difference> differences;

  bool is_proven() const {
    return status == Status::identical || status == Status::added || status == Status::helper ||
           status == Status::beside;
  }
};
std::string_view to_string(ProvenFile::Status status);

struct TreeProof {
  std::string base;               // the revision as it was named
  std::uint64_t unchanged = 0;    // files with the same bytes
  std::vector<ProvenFile> files;  // all others, by path bytes

  std::uint64_t count(ProvenFile::Status status) const;
  bool is_identical() const;
};

struct TreeProofOptions {
  std::string root;
  std::string base = "HEAD";
  std::vector<std::string> include;  // path patterns; empty = all
  std::vector<std::string> exclude;
  int jobs = 0;
};

/// Compares the files below the root with those of a git revision. Executes nothing of the tree.
Result<TreeProof> prove_tree(const TreeProofOptions& options, const Catalog& catalog, const HelperTable& table,
                             const Files& files, const Processes& processes);

}  // namespace accelport
