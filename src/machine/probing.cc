#include "machine/probing.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "base/text.h"

namespace accelport {
namespace {

using State = ProbeAnswer::State;

constexpr std::size_t kMostRead = 1 << 20;    // bytes of a program's output that are looked at
constexpr std::size_t kMostMatches = 4096;    // of one pattern
constexpr std::size_t kMostFactBytes = 4096;  // of one value

/// "$NAME/rest" with the variable's value; nothing if it is not set.
std::optional<std::string> with_variable(std::string_view text, const ProbeWorld& world) {
  if (text.size() < 2 || text[0] != '$' || !is_ascii_alpha(text[1])) return std::string(text);
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string value = world.variable(std::string(text.substr(1, slash - 1)));
  if (value.empty()) return std::nullopt;
  return value + std::string(text.substr(slash));
}

/// The first candidate that is there; always absolute.
std::string find_candidate(const std::vector<std::string>& candidates, const ProbeWorld& world) {
  for (const std::string& candidate : candidates) {
    const auto path = with_variable(candidate, world);
    if (!path || path->empty()) continue;
    if (path->find('/') == std::string::npos) {
      std::string found = world.program(*path);
      if (!found.empty()) return found;
    } else if (path->front() == '/' && world.files.info(*path)) {
      return *path;
    }
  }
  return {};
}

std::vector<std::string> arguments_of(const Probe& probe, const Facts& facts, const ProbeWorld& world) {
  std::vector<std::string> arguments;
  for (const std::string& argument : probe.arguments) {
    const auto whole = with_variable(argument, world);
    if (!whole) continue;
    if (const auto text = filled(*whole, facts)) arguments.push_back(*text);
  }
  return arguments;
}

std::string first_line(std::string_view text) {
  text = trim(text);
  return std::string(trim(text.substr(0, text.find('\n'))).substr(0, kMostFactBytes));
}

/// Values in the order of their coming, each once.
std::string listed(const std::vector<std::string_view>& values) {
  std::set<std::string_view> seen;
  std::string out;
  for (const std::string_view value : values) {
    if (value.empty() || !seen.insert(value).second || out.size() > kMostFactBytes) continue;
    out += (out.empty() ? "" : ", ") + std::string(value);
  }
  return out;
}

std::string summed(const std::vector<std::string_view>& values) {
  std::uint64_t sum = 0;
  for (const std::string_view value : values) {
    std::uint64_t number = 0;
    std::from_chars(value.data(), value.data() + value.size(), number);
    sum += number;
  }
  return std::to_string(sum);
}

std::string taken(const std::vector<std::string_view>& values, ProbeRead::Take take) {
  if (take == ProbeRead::Take::sum) return summed(values);
  if (take == ProbeRead::Take::all) return listed(values);
  return std::string(values.front().substr(0, kMostFactBytes));
}

/// What the captured values stand for; "unknown" for those without a name.
std::string meanings(const std::vector<std::string_view>& values, const std::map<std::string, std::string>& names) {
  std::vector<std::string_view> meant;
  for (const std::string_view value : values) {
    const auto name = names.find(std::string(value));
    meant.push_back(name == names.end() ? "unknown" : std::string_view(name->second));
  }
  return listed(meant);
}

/// Groups "key" and "value": each match is a fact of its own.
void read_pairs(const std::string& id, const std::vector<std::vector<std::string_view>>& matches, std::size_t key,
                std::size_t value, Facts& facts) {
  for (const auto& match : matches) facts.set(fmt::format("{}.{}", id, match[key]), match[value]);
}

void read_facts(const std::string& id, const ProbeRead& read, std::string_view text, Facts& facts) {
  const auto matches = read.pattern.matches(text, kMostMatches);
  if (!read.count.empty()) facts.set(id + "." + read.count, std::to_string(matches.size()));
  if (matches.empty()) return;
  for (const auto& [name, value] : read.set) facts.set(id + "." + name, value);
  const std::vector<std::string>& names = read.pattern.names();
  const auto at = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  if (at("key") < names.size() && at("value") < names.size())
    return read_pairs(id, matches, at("key"), at("value"), facts);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<std::string_view> values;
    for (const auto& match : matches) values.push_back(match[i]);
    facts.set(id + "." + names[i], taken(values, read.take));
    if (read.names != nullptr) facts.set(id + "." + read.as, meanings(values, *read.names));
  }
}

std::string typed(const std::string& program, const std::vector<std::string>& arguments) {
  std::string out = program;
  for (const std::string& argument : arguments) {
    const bool plain = !argument.empty() && argument.find_first_of(" \t\n'\"$\\*?();|&<>{}") == std::string::npos;
    out += plain ? " " + argument : " '" + argument + "'";
  }
  return out;
}

std::string kept(const std::string& text, bool& is_cut) {
  if (text.size() <= ProbeAnswer::kMostOutput) return text;
  is_cut = true;
  return text.substr(0, ProbeAnswer::kMostOutput);
}

State state_of(const ProcessResult& result) {
  const bool flooded = std::max(result.output.size(), result.error_output.size()) > kMostRead;
  if (result.timed_out && !flooded) return State::timed_out;
  return result.exit_code == 0 || flooded ? State::answered : State::failed;
}

void run_probe(const Probe& probe, const ProbeWorld& world, ProbeAnswer& answer, Facts& facts) {
  const std::string program = find_candidate(probe.programs, world);
  answer.state = State::missing;
  if (program.empty()) return;
  ProcessRequest request;
  request.command = arguments_of(probe, facts, world);
  answer.command = typed(program, request.command);
  request.command.insert(request.command.begin(), program);
  if (const DataFile* script = find_data_file(world.data, probe.script)) request.input = script->bytes;
  request.environment = {{"LC_ALL", "C"}, {"LANGUAGE", "C"}};
  request.folder = world.empty_folder;
  request.time_limit = probe.time_limit;
  request.output_limit = kMostRead;
  const auto result = world.processes.run(request);
  if (!result) {
    answer.state = State::failed;
    answer.error_output = result.error().message;
    return;
  }
  answer.state = state_of(*result);
  answer.exit_code = result->exit_code;
  answer.output = kept(result->output, answer.is_cut);
  answer.error_output = kept(result->error_output, answer.is_cut);
  std::string text = result->output;
  if (probe.error_counts) text += "\n" + result->error_output;
  for (const ProbeRead& read : probe.reads) read_facts(probe.id, read, text, facts);
}

}  // namespace

std::string_view to_string(ProbeAnswer::State state) {
  static constexpr std::string_view kNames[] = {"answered", "failed", "missing", "timed out", "skipped"};
  return kNames[static_cast<int>(state)];
}

ProbeResults ask_machine(const ProbeTable& table, const ProbeWorld& world) {
  ProbeResults results;
  for (const auto& [name, value] : table.constants) results.facts.set(name, value);
  for (const std::string& name : table.variables) {
    const std::string value = world.variable(name);
    results.facts.set("env." + name, value);
  }
  for (const Probe& probe : table.probes) {
    ProbeAnswer answer{probe.id, probe.title, {}, State::skipped, 0, {}, {}, false};
    if (all_hold(probe.when, results.facts)) run_probe(probe, world, answer, results.facts);
    results.facts.set(probe.id + ".state", to_string(answer.state));
    if (answer.state == State::answered || answer.state == State::failed)
      results.facts.set(probe.id + ".exit", std::to_string(answer.exit_code));
    results.facts.set(probe.id + ".output", first_line(answer.output));
    results.facts.set(probe.id + ".error", first_line(answer.error_output));
    results.answers.push_back(std::move(answer));
  }
  return results;
}

}  // namespace accelport
