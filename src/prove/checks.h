#pragma once

#include <functional>
#include <set>
#include <string_view>
#include <vector>

#include "prove/canonical.h"

namespace accelport {

/// What is wrong with how the ported text gets at its helper: the name bound by something else, used before its import,
/// or without having that function, or an import in front of what must come first.
std::vector<CanonicalProblem> helper_problems(const PythonText& ported, const Bindings& bindings);

/// Relative imports of the helper that Python may refuse: they climb further than the original's did, and the file is
/// no module of that many packages, or a program.
std::vector<CanonicalProblem> relative_problems(const PythonText& original, const Bindings& original_bindings,
                                                const PythonText& ported, const Bindings& ported_bindings,
                                                const std::function<bool(std::size_t)>& is_packaged);

/// Whether the ported text needs a newer Python than the original did.
std::vector<CanonicalProblem> version_problems(const PythonText& original, const PythonText& ported);

/// Names whose import out of torch.cuda may go: nothing in the ported text uses them.
std::set<std::string> unused_imports(const PythonText& original, Bindings& original_bindings, const PythonText& ported,
                                     Bindings& ported_bindings, const std::function<bool(std::string_view)>& is_taken);

}  // namespace accelport
