#pragma once

#include <functional>
#include <string>
#include <vector>

#include "edit/rewrite.h"

namespace accelport {

/// An import statement out of torch.cuda, rewritten. The names that it still binds carry the change to their uses.
struct ImportRewrite {
  Rewrite rewrite;
  std::vector<std::string> bound;    // by an assignment
  std::vector<std::string> dropped;  // nothing uses them any longer
  bool removable = false;            // the statement has become empty; nothing is drafted yet
};

/// `uses_left(name)` tells whether anything but the import itself still uses the name.
ImportRewrite rewrite_import(const RewriteContext& context, const ImportStatement& statement,
                             const std::function<bool(std::string_view name)>& uses_left);

/// Where and how a text gets its helper.
struct HelperImport {
  Span span;         // replaced, or empty
  std::string text;  // the statement with its line end; without one if a statement is replaced
};

/// `statement` ("import accelerator") as an edit of the text, in front of the first edit at `first_edit`: behind the
/// last import of the leading block.
HelperImport place_import(const PythonSource& source, const std::string& statement, std::uint32_t first_edit);

/// Whether the text imports the helper at module level in front of `first_edit`.
bool has_import(const PythonSource& source, std::string_view helper, std::uint32_t first_edit);

/// Whether `name` is bound by importing a module of that name that may be the helper.
bool is_helper_import(const ImportStatement& statement, const ImportedName& name, std::string_view bound);

}  // namespace accelport
