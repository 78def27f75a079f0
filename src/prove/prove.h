#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/helper_table.h"
#include "prove/adapter_block.h"

namespace accelport {

/// A place where the ported text is not the original with the helper in place of CUDA's names.
struct Difference {
  std::uint32_t original_line = 0;  // from 1; 0 if there is nothing of the original
  std::uint32_t line = 0;           // … of the ported text
  std::string what;
};

struct Proof {
  enum class Verdict : std::uint8_t {
    identical,  // with CUDA present both do the same
    different,
    unreadable,  // one of the texts could not be parsed, so nothing is claimed
  };
  Verdict verdict = Verdict::identical;
  std::vector<Difference> differences;  // by line; empty if identical
};

/// What a file cannot tell about itself.
struct FileSurroundings {
  HelperCheck is_helper = [](std::string_view) { return HelperModule{true, nullptr}; };
  /// Whether another file takes this name from the file's module.
  std::function<bool(std::string_view name)> is_taken = [](std::string_view) { return false; };
  /// Whether the file lies in packages, as many around one another as that.
  std::function<bool(std::size_t)> is_packaged = [](std::size_t) { return true; };
  AdapterCheck is_adapter = [](std::string_view, std::string_view) { return false; };
};

/// Compares a Python file before and after the port. Substitutes what the helper answers on CUDA in both texts and
/// compares what remains, statement by statement; comments and layout do not count.
Proof prove_file(std::string_view original, std::string_view ported, const HelperTable& table,
                 const FileSurroundings& around = {});

}  // namespace accelport
