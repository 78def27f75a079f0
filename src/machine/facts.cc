#include "machine/facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "catalog/pattern.h"

namespace accelport {
namespace {

const std::string kNothing;
constexpr std::string_view kAsSize = ":kb";

/// Takes the number in front of `text` off it; the digits' value, or nothing.
std::optional<unsigned long> take_number(std::string_view& text) {
  unsigned long number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return number;
}

/// "65536" → "64 MiB"; what is no number stays.
std::string readable_kilobytes(const std::string& text) {
  std::string_view rest = text;
  const auto kilobytes = take_number(rest);
  if (!kilobytes || !rest.empty()) return text;
  const auto mebibytes = static_cast<double>(*kilobytes) / 1024;
  return mebibytes < 1024 ? fmt::format("{:.0f} MiB", mebibytes) : fmt::format("{:.1f} GiB", mebibytes / 1024);
}

bool take_dot(std::string_view& text) {
  if (text.empty() || text.front() != '.') return false;
  text.remove_prefix(1);
  return true;
}

/// Expressions were compiled once when the test was read, so this cannot fail.
bool found(const std::string& expression, const std::string& text) {
  const auto pattern = Pattern::compile(expression);
  return pattern && pattern->found_in(text);
}

}  // namespace

void Facts::set(const std::string& name, std::string_view value) {
  value = trim(value);
  if (!value.empty()) facts_[name] = std::string(value);
}

const std::string& Facts::get(std::string_view name) const {
  const auto fact = facts_.find(name);
  return fact == facts_.end() ? kNothing : fact->second;
}

std::optional<std::string> filled(std::string_view text, const Facts& facts) {
  std::string out;
  while (!text.empty()) {
    const std::size_t brace = text.find('{');
    out += text.substr(0, brace);
    if (brace == std::string_view::npos) return out;
    text.remove_prefix(brace + 1);
    if (!text.empty() && text.front() == '{') {
      out += '{';
      text.remove_prefix(1);
      continue;
    }
    const std::size_t end = text.find('}');
    std::string_view name = text.substr(0, end);
    const bool as_size = name.ends_with(kAsSize);
    if (as_size) name.remove_suffix(kAsSize.size());
    const std::string& value = facts.get(name);
    if (value.empty() || end == std::string_view::npos) return std::nullopt;
    out += as_size ? readable_kilobytes(value) : value;
    text.remove_prefix(end + 1);
  }
  return out;
}

int compare_versions(std::string_view left, std::string_view right) {
  do {
    const auto a = take_number(left);
    const auto b = take_number(right);
    if (!a || !b) return 0;
    if (*a != *b) return *a < *b ? -1 : 1;
  } while (take_dot(left) && take_dot(right));
  return 0;
}

Result<FactTest> FactTest::parse(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, Operator>, 6> kOperators = {{{"=", Operator::equal},
                                                                                       {"!=", Operator::unequal},
                                                                                       {"~", Operator::matches},
                                                                                       {"!~", Operator::differs},
                                                                                       {"<", Operator::below},
                                                                                       {">=", Operator::at_least}}};
  FactTest test;
  text = trim(text);
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) {
    const bool negated = text.starts_with('!');
    test.operator_ = negated ? Operator::unknown : Operator::known;
    test.name_ = std::string(text.substr(negated ? 1 : 0));
    if (test.name_.empty()) return fail(Error::Kind::data, "the test names no fact");
    return test;
  }
  test.name_ = std::string(text.substr(0, blank));
  const std::string_view rest = trim(text.substr(blank));
  const std::size_t end = rest.find(' ');
  const auto* known = std::find_if(kOperators.begin(), kOperators.end(),
                                   [&](const auto& entry) { return entry.first == rest.substr(0, end); });
  if (known == kOperators.end() || end == std::string_view::npos)
    return fail(Error::Kind::data, fmt::format("'{}' is no test of a fact", text), {}, "NAME = TEXT, NAME ~ REGEX …");
  test.operator_ = known->second;
  test.right_ = std::string(trim(rest.substr(end)));
  if (test.operator_ == Operator::matches || test.operator_ == Operator::differs) {
    TRY(const Pattern pattern, Pattern::compile(test.right_));
    static_cast<void>(pattern);
  }
  return test;
}

bool FactTest::holds(const Facts& facts) const {
  const std::string& left = facts.get(name_);
  if (operator_ == Operator::unknown) return left.empty();
  if (left.empty()) return false;
  const bool other = right_.starts_with('$');
  const std::string& right = other ? facts.get(std::string_view(right_).substr(1)) : right_;
  if (other && right.empty()) return false;
  switch (operator_) {
    case Operator::equal:
      return left == right;
    case Operator::unequal:
      return left != right;
    case Operator::matches:
      return found(right, left);
    case Operator::differs:
      return !found(right, left);
    case Operator::below:
      return compare_versions(left, right) < 0;
    case Operator::at_least:
      return compare_versions(left, right) >= 0;
    default:
      return true;
  }
}

bool all_hold(const std::vector<FactTest>& tests, const Facts& facts) {
  return std::all_of(tests.begin(), tests.end(), [&](const FactTest& test) { return test.holds(facts); });
}

}  // namespace accelport
