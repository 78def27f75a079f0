#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace accelport::sim {

/// A way of the vendor's stack that surprises. The code knows it by its id; each can be switched off.
struct Quirk {
  std::string id;
  std::string text;
  std::string source;
  bool changes_numbers = false;
  bool unverified = false;             // no source settles it
  std::vector<std::string> operators;  // that it is about, each with what the quirk's own text says
};

/// What operators of the platform's table refuse on the card.
struct OperatorLimit {
  std::vector<std::string> operators;  // "add.Tensor"
  std::vector<std::string> dtypes;     // "uint16"
  std::string message;                 // the vendor's text; {dtype} stands for the type's name in C++
  std::string source;
};

/// What the simulator takes from a platform's profile.toml and simulator.toml.
struct PlatformData {
  std::string name;  // of the platform
  std::string title;
  std::string device_type;  // "type" of "type:0"
  std::string package;      // the vendor's Python package, and how it is imported
  std::string import_name;
  std::string package_version;
  std::string backend;        // of collectives
  std::string process_group;  // the class's own name
  std::string visible_variable;
  std::string allocator_variable;
  std::string version_name;   // "x" of torch.version.x
  std::string backends_name;  // "x" of torch.backends.x, or empty

  std::string card;  // a card's name
  std::int64_t memory_mib = 0;
  int capability_major = 0;
  int capability_minor = 0;
  int processors = 0;
  bool bfloat16 = true;
  /// Texts with {names} in braces: what the vendor's stack says.
  std::map<std::string, std::string> messages;
  std::vector<Quirk> quirks;
  std::vector<OperatorLimit> limits;
};

/// Reads the two files of a platform; paths are what errors name.
Result<PlatformData> parse_platform(std::string_view profile, std::string_view profile_path, std::string_view simulator,
                                    std::string_view simulator_path);

/// How an operator of operators.tsv is served on the card.
struct OperatorRow {
  std::string name;  // "add.Tensor"
  bool delegate = false;
};

/// Reads operators.tsv.
Result<std::vector<OperatorRow>> parse_operators(std::string_view bytes, std::string_view path);

/// `text` with every {name} replaced by its value; names that are not given stay.
std::string filled(std::string_view text, const std::map<std::string, std::string>& values);

}  // namespace accelport::sim
