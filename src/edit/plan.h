#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "audit/audit.h"
#include "base/files.h"
#include "base/result.h"
#include "edit/change.h"

namespace accelport {

struct PlanOptions {
  std::string root;                        // the folder that was audited
  std::vector<const Platform*> platforms;  // in the order of their priority
  std::string style = "helper";
  std::vector<std::string> only;                // categories, path patterns or ids; empty = everything
  int jobs = 0;                                 // 0 = processors
  std::optional<std::set<std::string>> chosen;  // ids; nothing else then
  std::string helper;                           // the helper module's path that accelport.toml asks for, or empty
  std::string helper_at;                        // "path:line" of that
  bool force = false;                           // a helper module that was changed by hand is written anew
  /// Whether a file lies there as an earlier port has left it; without it every file counts as changed since.
  std::function<bool(const std::string& path, std::string_view bytes)> is_untouched;
};

/// What a port of the audited tree would change, and what it leaves. Reads the tree, writes nothing. The result does
/// not depend on the number of threads. A file that cannot be read any more is left with the reason.
Result<Plan> plan_port(const Audit& audit, const Catalog& catalog, const PlanOptions& options, const Files& files);

}  // namespace accelport
