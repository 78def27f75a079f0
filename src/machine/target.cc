#include "machine/target.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/core.h>

#include "base/text.h"
#include "catalog/fields.h"
#include "catalog/toml.h"

namespace accelport {
namespace {

constexpr std::string_view kSimulated = "sim:";
constexpr std::string_view kRefusals = "simulation.toml";
constexpr std::string_view kPlatforms = "platforms/";
constexpr std::string_view kHint = "cpu, cuda, a platform's name, or sim:NAME:N with the number of cards";

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Why the name cannot be simulated, or empty.
Result<std::string> refusal(std::string_view name, const std::vector<DataFile>& data) {
  for (const DataFile& file : data) {
    if (file.path != kRefusals) continue;
    TRY(const TomlValue table, parse_toml(file.bytes, file.path));
    FieldErrors errors{file.path, {}};
    Fields top(table, "the file", errors);
    top.required_text("schema");
    for (const TomlValue* row : top.tables("refused")) {
      Fields fields(*row, "[[refused]]", errors);
      const std::vector<std::string> names = fields.texts("names");
      std::string why = fields.required_text("why");
      fields.finish();
      if (std::find(names.begin(), names.end(), name) != names.end()) return why;
    }
    top.finish();
    if (errors.first) return tl::unexpected(std::move(*errors.first));
  }
  return std::string();
}

Result<void> check_known(const std::string& name, const std::vector<DataFile>& data) {
  const std::vector<std::string> names = platform_names(data);
  if (std::find(names.begin(), names.end(), name) != names.end()) return {};
  const std::vector<std::string_view> views(names.begin(), names.end());
  return fail(Error::Kind::usage, fmt::format("no platform is called '{}'", name), "--on", suggestion(name, views));
}

Result<RunTarget> parse_simulated(std::string_view text, const std::vector<DataFile>& data) {
  RunTarget target;
  target.kind = RunTarget::Kind::simulated;
  std::string_view name = text;
  if (const std::size_t colon = name.rfind(':'); colon != std::string_view::npos && colon + 1 < name.size()) {
    const std::string_view count = name.substr(colon + 1);
    if (is_number(count)) {
      name = name.substr(0, colon);
      const auto read = std::from_chars(count.data(), count.data() + count.size(), target.devices);
      if (read.ec != std::errc() || target.devices < 1 || target.devices > kMostSimulatedDevices)
        return fail(Error::Kind::usage, fmt::format("'{}' is no number of cards", count), "--on",
                    fmt::format("1 to {}", kMostSimulatedDevices));
    }
  }
  target.platform = std::string(name);
  if (name.empty()) return fail(Error::Kind::usage, "sim: needs a platform", "--on", std::string(kHint));
  if (name.find('/') != std::string_view::npos) return target;
  TRY(const std::string why, refusal(name, data));
  if (!why.empty()) return fail(Error::Kind::usage, fmt::format("'{}' cannot be simulated: {}", name, why), "--on");
  TRY_DO(check_known(target.platform, data));
  return target;
}

}  // namespace

std::vector<std::string> platform_names(const std::vector<DataFile>& data) {
  std::vector<std::string> names;
  for (const DataFile& file : data) {
    const std::string_view path = file.path;
    if (path.substr(0, kPlatforms.size()) != kPlatforms) continue;
    std::string name(path.substr(kPlatforms.size(), path.find('/', kPlatforms.size()) - kPlatforms.size()));
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

Result<RunTarget> parse_run_target(std::string_view text, const std::vector<DataFile>& data) {
  if (text.substr(0, kSimulated.size()) == kSimulated) return parse_simulated(text.substr(kSimulated.size()), data);
  if (text == "cpu") return RunTarget{RunTarget::Kind::cpu, "", 1};
  if (text == "cuda") return RunTarget{RunTarget::Kind::origin, std::string(text), 1};
  if (text.empty()) return fail(Error::Kind::usage, "it says where the program runs", "--on", std::string(kHint));
  RunTarget target{RunTarget::Kind::card, std::string(text), 1};
  TRY_DO(check_known(target.platform, data));
  return target;
}

Result<std::uint64_t> parse_memory_size(std::string_view text) {
  const auto wrong = [&] {
    return fail(Error::Kind::usage, fmt::format("'{}' is no size of memory", text), "--memory",
                "a number with K, M, G or T: 8GiB, 512M");
  };
  double amount = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (read.ec != std::errc() || !(amount > 0)) return wrong();
  std::string unit = ascii_lower(text.substr(static_cast<std::size_t>(read.ptr - text.data())));
  if (unit.size() > 1 && unit.substr(unit.size() - 2) == "ib") unit.resize(unit.size() - 2);
  if (unit.size() > 1 && unit.back() == 'b') unit.pop_back();
  constexpr std::string_view kUnits = "kmgt";
  const std::size_t power = unit.size() == 1 ? kUnits.find(unit) : std::string_view::npos;
  if (power == std::string_view::npos && !unit.empty() && unit != "b") return wrong();
  const double bytes = std::ldexp(amount, power == std::string_view::npos ? 0 : 10 * static_cast<int>(power + 1));
  if (bytes < 1 || bytes > std::ldexp(1.0, 50)) return wrong();
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace accelport
