#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "catalog/pattern.h"
#include "machine/facts.h"

namespace accelport {

/// How one pattern over a probe's output becomes facts.
struct ProbeRead {
  enum class Take { first, all, sum };

  CapturePattern pattern;  // its groups name the facts; groups "key" and "value" make a fact "PROBE.<key>"
  Take take = Take::first;
  std::string count;                                          // fact that gets the number of matches, or empty
  std::vector<std::pair<std::string, std::string>> set;       // facts that get a value if the pattern matches
  const std::map<std::string, std::string>* names = nullptr;  // turns what the one group took into what it means …
  std::string as;                                             // … which goes into this fact
};

/// One question to the machine. Nothing is changed by asking, and nothing leaves the machine.
struct Probe {
  std::string id;
  std::string title;                  // what it asks, for people
  std::vector<std::string> programs;  // the first that is there is run; "$NAME/…" is a variable's folder
  std::vector<std::string>
      arguments;       // "{FACT}" and "$NAME" are replaced; one that names what is not known is left out
  std::string script;  // a file of the knowledge that is given to the program's input, or empty
  std::chrono::milliseconds time_limit{10'000};
  std::vector<FactTest> when;  // asked only if these hold
  bool error_counts = false;   // what it writes as an error is read with the rest
  std::vector<ProbeRead> reads;
};

/// A line of "what this machine is": the first text whose facts are known.
struct AboutLine {
  std::string label;
  std::vector<std::string> texts;
};

/// What probes.toml says, the general one and then the platform's.
struct ProbeTable {
  std::vector<Probe> probes;
  std::vector<std::string> variables;  // of the environment: facts "env.NAME"
  std::vector<AboutLine> about;
  std::map<std::string, std::string> constants;  // facts that the platform's profile gives: "platform.device" …
  std::vector<std::unique_ptr<std::map<std::string, std::string>>> names;  // what `ProbeRead::names` points into
};

/// Reads "probes.toml" and, if `platform` is not empty, "platforms/NAME/probes.toml" and the profile.
Result<ProbeTable> load_probes(const std::string& platform, const std::vector<DataFile>& data);

}  // namespace accelport
