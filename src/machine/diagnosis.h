#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "machine/facts.h"

namespace accelport {

/// How much a diagnosis matters: nothing written for the target runs; something may go wrong; worth knowing.
enum class Weight { error, warning, note };
std::string_view to_string(Weight weight);

/// A row of diagnosis.toml: what is the case if its tests hold.
struct Diagnosis {
  std::string id;
  Weight weight = Weight::error;
  std::vector<FactTest> when;               // all must hold
  std::vector<FactTest> any;                // one must hold, if there are any
  std::vector<std::string> unless;          // diagnoses that explain it already
  std::string cause;                        // "{FACT}" is replaced, here and below
  std::vector<std::string> evidence;        // those whose facts are known are shown
  std::vector<std::string> mend;            // the same
  std::vector<std::string> semantic_facts;  // ids of the platform's semantics.toml that it shows on this machine
  std::string source;
};

/// A diagnosis that holds on this machine.
struct Finding {
  std::string id;
  Weight weight = Weight::error;
  std::string cause;
  std::vector<std::string> evidence;
  std::vector<std::string> mend;
  std::vector<std::string> semantic_facts;
  std::string source;
};

/// Reads "diagnosis.toml" or "diagnosis-KIND.toml" and, if `platform` is not empty, the platform's own, whose rows come
/// first: they know better.
Result<std::vector<Diagnosis>> load_diagnoses(const std::string& kind, const std::string& platform,
                                              const std::vector<DataFile>& data);

/// The findings, errors first, each weight in the order of the table.
std::vector<Finding> diagnose(const std::vector<Diagnosis>& table, const Facts& facts);

}  // namespace accelport
