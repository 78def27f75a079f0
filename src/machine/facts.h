#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace accelport {

/// What probes found out: "PROBE.NAME" → value. What is not there is not known; no value is ever empty.
class Facts {
 public:
  /// An empty value says nothing and is not kept.
  void set(const std::string& name, std::string_view value);
  /// The value, or empty if it is not known.
  const std::string& get(std::string_view name) const;
  bool has(std::string_view name) const { return !get(name).empty(); }
  const std::map<std::string, std::string, std::less<>>& all() const { return facts_; }

 private:
  std::map<std::string, std::string, std::less<>> facts_;
};

/// `text` with every `{NAME}` replaced by that fact; nothing if one of them is not known. `{NAME:kb}` is a
/// number of kilobytes, written for people; `{{` is a brace.
std::optional<std::string> filled(std::string_view text, const Facts& facts);

/// Compares dotted numbers at the start of both texts, "2.7.1+cu121" and "2.10": negative, zero or positive. Parts that
/// one of them lacks are not compared, so "2.7" and "2.7.1" are equal.
int compare_versions(std::string_view left, std::string_view right);

/// A test of one fact: "NAME" (known), "!NAME" (not known), "NAME = TEXT", "NAME != TEXT", "NAME ~ REGEX",
/// "NAME !~ REGEX", "NAME < VERSION", "NAME >= VERSION". On the right "$OTHER" is the value of another fact. What is
/// not known passes "!NAME" only: a lack of knowledge proves nothing else.
class FactTest {
 public:
  static Result<FactTest> parse(std::string_view text);
  bool holds(const Facts& facts) const;
  const std::string& name() const { return name_; }

 private:
  enum class Operator { known, unknown, equal, unequal, matches, differs, below, at_least };

  std::string name_;
  Operator operator_ = Operator::known;
  std::string right_;
};

/// True if every test holds.
bool all_hold(const std::vector<FactTest>& tests, const Facts& facts);

}  // namespace accelport
