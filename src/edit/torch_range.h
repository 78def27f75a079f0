#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/files.h"

namespace accelport {

/// A release of torch, or nothing known.
struct TorchVersion {
  int major = 0;
  int minor = 0;

  bool known() const { return major != 0; }
  bool reaches(const TorchVersion& other) const {
    return major != other.major ? major > other.major : minor >= other.minor;
  }
};

/// "2.7", "2.7.1" … ; unknown if it is no version.
TorchVersion parse_torch_version(std::string_view text);

/// The oldest torch that a list of packages or a build file allows. Only an explicit lower bound allows one; where
/// torch is named without it, or twice with different ones, the oldest counts. `named` tells whether torch is named at
/// all.
struct TorchBound {
  TorchVersion oldest;
  bool named = false;
};
TorchBound torch_bound(std::string_view text);

/// Finds the bound for a file: that of its own folder, else that of the nearest folder around it that names torch.
class TorchRange {
 public:
  TorchRange(std::string root, const Files& files) : root_(std::move(root)), files_(files) {}
  TorchVersion oldest_for(std::string_view path);

 private:
  const TorchBound& of_folder(const std::string& folder);

  std::string root_;
  const Files& files_;
  std::map<std::string, TorchBound> by_folder_;
};

}  // namespace accelport
