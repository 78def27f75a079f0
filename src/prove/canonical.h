#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "prove/bindings.h"

namespace accelport {

/// A statement (or a compound statement's header) in the one spelling that all its equivalent spellings share.
struct CanonicalStatement {
  std::string text;
  std::uint32_t depth = 0;
  Span span;             // where it stands in the text
  bool movable = false;  // a binding whose order among its neighbours does not matter
};

/// Something that makes a text different from what its canonical form says.
struct CanonicalProblem {
  std::uint32_t offset = 0;
  std::string what;
};

struct Canonical {
  std::vector<CanonicalStatement> statements;
  std::vector<CanonicalProblem> problems;
};

/// Brings a text into its canonical form: a use of the helper becomes what it stands for on CUDA, a name that certainly
/// is something out of torch becomes its full path, strings become their values. `elided` are names whose import out of
/// torch.cuda is left out, `idle` are lines that do nothing.
Canonical canonicalise(const PythonText& source, Bindings& bindings, const HelperTable& table,
                       const std::set<std::string>& elided, const std::set<std::uint32_t>& idle);

}  // namespace accelport
