#pragma once

#include <string>
#include <vector>

#include "audit/discover.h"
#include "syntax/reader.h"

namespace accelport {

/// What the tree's file names tell about its own Python modules, so that `import cuda` beside a cuda.py is its own.
/// Import roots are the tree's root, `src`, `lib`, `python` and every folder that holds a package's first
/// `__init__.py`.
/// Platform copies are found by reading the few files whose names pair up.
ReaderFacts project_facts(const std::vector<Candidate>& candidates, const Catalog& catalog, const Files& files);

}  // namespace accelport
