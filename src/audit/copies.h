#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "audit/discover.h"
#include "base/files.h"

namespace accelport {

/// Python files that nearly repeat another one of the tree for a platform of their own (`train_npu.py` beside
/// `train.py`, `models_xpu/net.py` beside `models/net.py`), each with the path of that other one. Two files are
/// compared only if their paths are equal without device words, so the cost is that of the few files that pair up.
std::unordered_map<std::string, std::string> find_platform_copies(const std::vector<Candidate>& candidates,
                                                                  const std::unordered_set<std::string>& device_words,
                                                                  const Files& files);

}  // namespace accelport
