#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "edit/file_port.h"
#include "edit/python_source.h"

namespace accelport {

/// A name that means something in one file only, as it stands in BranchFacts.
std::string local_name(const std::string& name, const std::string& path);

/// Reads what the branches by accelerator of one Python text depend on, and which names answer for CUDA there, into
/// `draft.branches`. `cell` is -1 for a whole file; `inner` maps spans of the file to the text.
void read_branches(const PythonSource& source, int cell, const std::function<Span(Span)>& inner,
                   const std::vector<const Platform*>& platforms, FileDraft& draft);

}  // namespace accelport
