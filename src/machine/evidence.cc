#include "machine/evidence.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/core.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace accelport {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSchema = "accelport.evidence/1";
constexpr std::string_view kEnding = ".jsonl";
constexpr std::string_view kMachine = "machine";
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMostLineBytes = std::size_t{1} << 20;
constexpr std::array<std::string_view, 4> kVerdicts = {"pass", "fail", "skip", "unknown"};
/// Every name that must be the same now: what a record leaves out is not known, and so not the same.
constexpr std::array<const char*, 7> kStateNames = {"device_count", "driver", "machine", "plug_in",
                                                    "tool",         "torch",  "tree"};

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Bytes that are not UTF-8 cannot come from the parser, so this never has to replace any.
std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::map<std::string, std::string> texts_at(const Json& object, const char* key) {
  std::map<std::string, std::string> texts;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_object()) return texts;
  for (const auto& [name, value] : found->items())
    if (!value.is_null()) texts[name] = text_of(value);
  return texts;
}

std::vector<std::string> words_at(const Json& object, const char* key) {
  std::vector<std::string> words;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return words;
  for (const Json& word : *found) words.push_back(text_of(word));
  return words;
}

std::optional<RungVerdict> verdict_of(std::string_view text) {
  const auto found = std::find(kVerdicts.begin(), kVerdicts.end(), text);
  if (found == kVerdicts.end()) return std::nullopt;
  return static_cast<RungVerdict>(found - kVerdicts.begin());
}

/// Why the line is no evidence, or empty.
std::string damage_of(std::string_view line, const Json& object) {
  if (line.size() > kMostLineBytes) return "the line is too long";
  if (!object.is_object()) return "not a JSON object: the line was cut off or changed";
  if (text_at(object, "schema") != kSchema) return fmt::format("its schema is not {}", kSchema);
  if (text_at(object, "id").empty()) return "it has no id";
  if (!verdict_of(text_at(object, "verdict"))) return "its verdict is none of pass, fail, skip, unknown";
  const auto simulated = object.find("simulated");
  if (simulated == object.end() || !simulated->is_boolean()) return "it does not say whether it was simulated";
  return {};
}

Evidence evidence_of(const Json& object, std::string place) {
  Evidence evidence;
  evidence.id = text_at(object, "id");
  evidence.attempt = text_at(object, "attempt");
  evidence.verdict = *verdict_of(text_at(object, "verdict"));
  evidence.simulated = object["simulated"].get<bool>();
  evidence.on = text_at(object, "on");
  evidence.fidelity = text_at(object, "fidelity");
  evidence.begin = text_at(object, "begin");
  evidence.end = text_at(object, "end");
  evidence.ended = !evidence.end.empty();
  evidence.command = words_at(object, "command");
  evidence.values = texts_at(object, "values");
  evidence.state = texts_at(object, "state");
  evidence.place = std::move(place);
  // An attempt that has not ended has shown nothing, whatever the line says.
  if (!evidence.ended) evidence.verdict = RungVerdict::unknown;
  return evidence;
}

void put(Evidence evidence, std::vector<Evidence>& attempts) {
  const auto same = std::find_if(attempts.begin(), attempts.end(), [&](const Evidence& other) {
    return !evidence.attempt.empty() && other.attempt == evidence.attempt && other.id == evidence.id;
  });
  if (same == attempts.end()) {
    attempts.push_back(std::move(evidence));
  } else if (evidence.ended || !same->ended) {
    *same = std::move(evidence);
  }
}

bool is_evidence_file(const DirectoryEntry& entry) {
  const std::string_view name = entry.name;
  return entry.type == FileType::regular && name.size() > kEnding.size() &&
         name.substr(name.size() - kEnding.size()) == kEnding;
}

}  // namespace

void add_evidence(std::string_view text, const std::string& path, EvidenceSet& set) {
  for (std::size_t begin = 0, number = 1; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const Json object = line.size() > kMostLineBytes ? Json() : Json::parse(line, nullptr, false);
    std::string place = fmt::format("{}:{}", path, number);
    if (std::string damage = damage_of(line, object); !damage.empty()) {
      set.damaged.push_back({std::move(place), std::move(damage)});
    } else {
      put(evidence_of(object, std::move(place)), set.attempts);
    }
  }
}

std::string closing_line(std::string_view text, std::string_view id, std::string_view reason, std::string_view end) {
  Json last;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t stop = std::min(text.find('\n', begin), text.size());
    const Json object = Json::parse(text.substr(begin, stop - begin), nullptr, false);
    begin = stop + 1;
    if (object.is_object() && text_at(object, "id") == id) last = object;
  }
  if (!last.is_object() || last.contains("end")) return {};
  last["verdict"] = "fail";
  last["end"] = end;
  last["values"] = {{"reason", reason}};
  return last.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

Result<EvidenceSet> read_evidence(const std::string& root, const Files& files) {
  EvidenceSet set;
  const std::string folder = join_path(root, kEvidenceFolder);
  const auto info = files.info(folder);
  if (!info) return set;
  if (info->type != FileType::directory) return fail(Error::Kind::input, "is no folder", folder);
  TRY(const auto entries, files.list(folder));
  ByteBuffer buffer;
  for (const DirectoryEntry& entry : entries) {
    if (!is_evidence_file(entry)) continue;
    const std::string path = join_path(folder, entry.name);
    if (const auto done = files.read(path, kMostBytes, buffer); done) {
      add_evidence(buffer.view(), path, set);
    } else {
      set.damaged.push_back({path, done.error().message});
    }
  }
  std::stable_sort(set.attempts.begin(), set.attempts.end(),
                   [](const Evidence& a, const Evidence& b) { return a.begin < b.begin; });
  return set;
}

Standing standing_of(const Evidence& evidence, const EvidenceState& now) {
  Standing standing;
  standing.simulated = evidence.simulated;
  for (const char* name : kStateNames) {
    const auto then = evidence.state.find(name);
    const auto current = now.find(name);
    if (then != evidence.state.end() && current != now.end() && then->second == current->second) continue;
    if (name == kMachine) {
      standing.imported = true;
    } else {
      standing.outdated.emplace_back(name);
    }
  }
  return standing;
}

std::string to_string(const Standing& standing) {
  std::vector<std::string> words;
  if (standing.simulated) words.emplace_back("simulated");
  if (standing.imported) words.emplace_back("imported");
  if (standing.is_stale()) words.push_back(fmt::format("stale ({})", fmt::join(standing.outdated, ", ")));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string_view to_string(RungVerdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)]; }

}  // namespace accelport
