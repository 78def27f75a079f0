#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "edit/python_source.h"

namespace accelport {

/// Keys of configurations and options of command lines ("device"), each with the helper's functions that map its value.
using ConfiguredKeys = std::map<std::string, std::set<std::string, std::less<>>, std::less<>>;

/// An expression that reads such a value out of a configuration or out of parsed arguments and hands it to torch, or to
/// a function of the program, as a device or as a back end, or compares it: `cfg.train.device` in
/// `torch.device(cfg.train.device)` and in `cfg.train.device == "cuda"`.
struct ConfiguredUse {
  Span span;
  std::string key;
  std::string function;  // of the helper
  bool mapped = false;   // the helper's function is around it already
};

/// By position.
std::vector<ConfiguredUse> find_configured(const PythonSource& source, const ConfiguredKeys& keys);

/// The name under which a program reads the value of a key or option: "--train-device" is "train_device", the last key
/// of "train.device" counts. Empty if there is none.
std::string configured_name(std::string_view key);

}  // namespace accelport
