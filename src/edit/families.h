#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "audit/audit.h"
#include "catalog/helper_table.h"
#include "edit/change.h"
#include "edit/file_port.h"

namespace accelport {

/// Branches by accelerator (`if xpu … elif cuda …`). Those for CUDA in one file change together, so that they serve the
/// platform, or not at all; then a person is told which branches are missing. A name that chooses such a branch
/// (`is_cuda_available`) answers for the platform only if the branches that it chooses anywhere in the tree change too.
class Families {
 public:
  explicit Families(const HelperTable& table) : table_(table) {}

  static bool is_member(const AuditedFile& file, const Occurrence& occurrence);
  /// Whether the file must be read for its branches although nothing in it is rewritten.
  static bool matters(const AuditedFile& file);

  /// Decides what stays (Wanted::stays). `ports` is empty before the first attempt, else by draft, as is `is_ported`.
  /// Gives the numbers of the drafts that must be ported again.
  std::vector<std::size_t> settle(std::vector<std::unique_ptr<FileDraft>>& drafts, const std::vector<FilePort>& ports,
                                  const std::vector<bool>& is_ported);

  void leave(const FileDraft& draft, const Occurrence& occurrence, const std::string& reason);
  /// Adds the advice.
  void finish(const std::vector<const Platform*>& platforms, Plan& plan) const;

 private:
  struct Missing {
    std::set<std::uint32_t> lines;  // one of each family
    std::set<BranchFacts::Place> families;
    std::string reason;
  };
  struct State;

  void find_problems(FileDraft& draft) const;
  static std::string problem_of(const FileDraft& draft);

  const HelperTable& table_;
  std::map<std::string, Missing> missing_;  // by path
};

}  // namespace accelport
