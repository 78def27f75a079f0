#pragma once

#include <string>

#include "edit/file_port.h"
#include "edit/plan.h"

namespace accelport {

/// The style `adapter`: a package of the platform makes CUDA's names answer for it. Only the questions that it answers
/// wrongly change, and every program imports it before anything that may load torch.
class AdapterStyle {
 public:
  /// `platforms` all have an adapter.
  AdapterStyle(const std::vector<const Platform*>& platforms, const HelperTable& table)
      : platforms_(platforms), table_(table) {}

  /// An error that names the platform which has no adapter.
  static Result<void> check(const std::vector<const Platform*>& platforms);

  /// Whether the helper's function asks what an adapter answers wrongly.
  bool is_check(const HelperFunction& function) const;
  /// Takes the strings out of `draft` that are not compared with what the adapters leave as it is, and calls `left` for
  /// each.
  void keep_compared(FileDraft& draft, const std::function<void(const Occurrence&, std::string reason)>& left) const;
  /// Why everything else stays.
  std::string reason() const;
  /// Adds the import to the changes of every file that a program starts with, and what is for a person to know.
  void finish(const Audit& audit, const PlanOptions& options, const Files& files, Plan& plan) const;

 private:
  bool any_limit(const std::function<bool(const AdapterLimit&)>& holds) const;
  std::string names() const;
  std::string block(const std::string& newline) const;
  std::optional<Edit> import_edit(const FileDraft& draft, const PythonSource& source) const;
  void advise(const Audit& audit, Plan& plan) const;

  const std::vector<const Platform*>& platforms_;
  const HelperTable& table_;
};

}  // namespace accelport
