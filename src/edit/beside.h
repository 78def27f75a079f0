#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "edit/beside_file.h"
#include "edit/change.h"
#include "edit/plan.h"

namespace accelport {

/// The files that a port never edits (lists of packages, environments, Dockerfiles) with what stands beside them for a
/// platform, and those of which it only proposes a part (pipelines, services).
class BesideFiles {
 public:
  BesideFiles(const PlanOptions& options, const Files& files, const BesideTable& table)
      : options_(options), files_(files), table_(table) {}

  /// True for a file that gets another one beside it; all of its occurrences are seen to here.
  static bool takes(const AuditedFile& file);
  /// True for a file of which a part is proposed.
  static bool proposes(const AuditedFile& file);

  /// A file that `takes` or `proposes`, of which at least one place is selected.
  void add(const AuditedFile& file) { sources_.push_back(&file); }

  /// Adds new files, what is left and advice.
  void finish(Plan& plan);

 private:
  struct Target;

  std::string problem_with(const AuditedFile& file, std::string& text) const;
  std::string path_beside(const AuditedFile& file, const Platform& platform);
  bool has_sibling(const std::string& folder, const std::string& word) const;
  void find_lists(const Platform& platform);
  const std::string* included(const AuditedFile& file, const Platform& platform, std::string_view name) const;
  BesideText text_of(const AuditedFile& file, const std::string& text, const Platform& platform,
                     const std::string& target, bool alone) const;
  void take(const AuditedFile& file, Plan& plan);
  void place(const AuditedFile& file, const std::string& target, const Platform& platform, const BesideText& made,
             Plan& plan) const;
  void leave(const AuditedFile& file, const std::string& reason, Plan& plan) const;

  const PlanOptions& options_;
  const Files& files_;
  const BesideTable& table_;
  std::vector<const AuditedFile*> sources_;
  std::map<std::string, std::string> taken_;  // targets, with their source
  // By platform and path of a list: the name of the one beside it, empty if nothing of it is left.
  std::map<std::pair<const Platform*, std::string>, std::string> lists_;
};

/// What in the file is for CUDA: places that a port would settle, those that need a person, and in a file of CUDA's own
/// also those that are right there.
std::vector<const Occurrence*> bound_places(const AuditedFile& file);

/// A job or service for the platform that a person can paste, if the file has one for CUDA.
std::vector<Advice> proposed_block(const AuditedFile& file, std::string_view text, const Platform& platform,
                                   const BesideTable& table);

}  // namespace accelport
