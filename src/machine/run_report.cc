#include "machine/run_report.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace accelport {
namespace {

constexpr std::string_view kReportEnding = ".json";
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 24;

using Json = nlohmann::json;

/// A value of the object if it is there and of the kind, else null.
const Json* value_at(const Json& object, const char* key, Json::value_t kind) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->type() == kind ? &*found : nullptr;
}

std::string text_at(const Json& object, const char* key) {
  const Json* value = value_at(object, key, Json::value_t::string);
  return value == nullptr ? std::string() : value->get<std::string>();
}

bool flag_at(const Json& object, const char* key) {
  const Json* value = value_at(object, key, Json::value_t::boolean);
  return value != nullptr && value->get<bool>();
}

std::uint64_t number_of(const Json& value) { return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0; }

std::vector<std::string> texts_at(const Json& object, const char* key) {
  std::vector<std::string> texts;
  if (const Json* list = value_at(object, key, Json::value_t::array))
    for (const Json& item : *list)
      if (item.is_string()) texts.push_back(item.get<std::string>());
  return texts;
}

std::string count_of(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

void add_process_lines(const RunSummary& summary, std::vector<std::string>& lines) {
  std::size_t used = 0, lost = 0;
  std::vector<std::uint64_t> peaks;
  for (const ProcessReport& process : summary.processes) {
    used += process.used;
    lost += !process.ended;
    if (peaks.size() < process.peaks.size()) peaks.resize(process.peaks.size());
    for (std::size_t i = 0; i < process.peaks.size(); ++i) peaks[i] = std::max(peaks[i], process.peaks[i]);
  }
  if (summary.processes.empty()) {
    lines.emplace_back("no Python of this program imported torch: nothing was simulated");
    lines.emplace_back("  (torch must be installed for the Python that runs it, and that Python must read PYTHONPATH)");
    return;
  }
  std::string line = used == 0 && lost == 0 ? "the program did not use the card"
                                            : fmt::format("{} used the card", count_of(used, "process", "processes"));
  std::vector<std::string> cards;
  for (std::size_t i = 0; i < peaks.size(); ++i)
    if (peaks[i] != 0) cards.push_back(fmt::format("{} on card {}", readable_size(peaks[i]), i));
  if (!cards.empty()) line += fmt::format("; most memory of one process: {}", fmt::join(cards, ", "));
  lines.push_back(std::move(line));
  if (lost != 0)
    lines.push_back(fmt::format("{} killed before telling its figures: they are missing here",
                                count_of(lost, "process was", "processes were")));
}

void add_refusals(const RunSummary& summary, std::vector<std::string>& lines) {
  std::set<std::string> reasons;
  for (const ProcessReport& process : summary.processes)
    if (!process.refusal.empty()) reasons.insert(process.refusal);
  for (const std::string& why : reasons) lines.push_back("not simulated: " + why);
}

void add_quirk_line(const RunSummary& summary, std::vector<std::string>& lines) {
  std::set<std::string> quirks;
  for (const ProcessReport& process : summary.processes) quirks.insert(process.quirks.begin(), process.quirks.end());
  if (!quirks.empty()) lines.push_back(fmt::format("quirks that were on: {}", fmt::join(quirks, ", ")));
}

void add_missing_lines(const RunSummary& summary, std::vector<std::string>& lines) {
  if (summary.strictness == "strict") return;
  std::map<std::string, std::uint64_t> missing;
  for (const ProcessReport& process : summary.processes)
    for (const auto& [name, calls] : process.missing) missing[name] += calls;
  if (missing.empty()) {
    lines.push_back(
        fmt::format("not strict ({}), but no operator was called that {} lacks", summary.strictness, summary.title));
    return;
  }
  lines.push_back(fmt::format("not strict ({}): {} that {} lacks ran on the CPU; on the card the program fails there",
                              summary.strictness, count_of(missing.size(), "operator", "operators"), summary.title));
  for (const auto& [name, calls] : missing)
    lines.push_back(fmt::format("  {}: {}", name, count_of(calls, "call", "calls")));
}

void add_stale_reads(const RunSummary& summary, std::vector<std::string>& lines) {
  std::uint64_t count = 0;
  std::string first;
  for (const ProcessReport& process : summary.processes) {
    count += process.stale_reads;
    if (first.empty()) first = process.first_stale_read;
  }
  if (count == 0) return;
  lines.push_back(fmt::format("{} of bytes that another stream had still to write, first by {}: a wait is missing",
                              count_of(count, "read", "reads"), first));
}

void add_fault_lines(const RunSummary& summary, std::vector<std::string>& lines) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> ranks;
  for (const ProcessReport& process : summary.processes) {
    for (const std::string& fault : process.faults) {
      if (ranks.count(fault) == 0) order.push_back(fault);
      ranks[fault].push_back(process.rank);
    }
  }
  for (const std::string& fault : order) {
    std::vector<std::string>& on = ranks[fault];
    on.erase(std::remove(on.begin(), on.end(), ""), on.end());
    lines.push_back(
        fmt::format("fault: {}{}", fault, on.empty() ? "" : fmt::format(" (rank {})", fmt::join(on, ", "))));
  }
}

}  // namespace

std::string readable_size(std::uint64_t bytes) {
  const double amount = static_cast<double>(bytes);
  if (bytes >= 1u << 30) return fmt::format("{:.2f} GiB", amount / (1u << 30));
  if (bytes >= 1u << 20) return fmt::format("{:.1f} MiB", amount / (1u << 20));
  return fmt::format("{:.1f} KiB", amount / 1024);
}

ProcessReport parse_process_report(std::string_view text) {
  ProcessReport report;
  const Json object = Json::parse(text, nullptr, false);
  report.rank = text_at(object, "rank");
  report.ended = flag_at(object, "ended");
  report.used = flag_at(object, "used");
  report.refusal = text_at(object, "refused");
  report.faults = texts_at(object, "faults");
  report.quirks = texts_at(object, "quirks");
  if (const Json* missing = value_at(object, "missing", Json::value_t::object))
    for (const auto& [name, calls] : missing->items())
      if (const std::uint64_t count = number_of(calls)) report.missing[name] = count;
  if (const Json* peaks = value_at(object, "peaks", Json::value_t::array))
    for (const Json& peak : *peaks) report.peaks.push_back(number_of(peak));
  if (const Json* stale = value_at(object, "stale_reads", Json::value_t::object)) {
    report.stale_reads = stale->contains("count") ? number_of((*stale)["count"]) : 0;
    report.first_stale_read = text_at(*stale, "first");
  }
  return report;
}

Result<std::vector<ProcessReport>> read_process_reports(const std::string& folder, const Files& files) {
  std::vector<ProcessReport> reports;
  TRY(const std::vector<DirectoryEntry> entries, files.list(folder));
  for (const DirectoryEntry& entry : entries) {
    if (entry.type != FileType::regular || !entry.name.ends_with(kReportEnding)) continue;
    ByteBuffer buffer;
    TRY_DO(files.read(join_path(folder, entry.name), kMostBytes, buffer));
    reports.push_back(parse_process_report(buffer.view()));
  }
  return reports;
}

bool was_refused(const std::vector<ProcessReport>& processes) {
  return std::any_of(processes.begin(), processes.end(),
                     [](const ProcessReport& process) { return !process.refusal.empty(); });
}

std::vector<std::string> summary_lines(const RunSummary& summary) {
  std::vector<std::string> lines;
  if (was_refused(summary.processes)) {
    add_refusals(summary, lines);
    return lines;
  }
  add_process_lines(summary, lines);
  add_quirk_line(summary, lines);
  add_missing_lines(summary, lines);
  add_stale_reads(summary, lines);
  add_fault_lines(summary, lines);
  return lines;
}

}  // namespace accelport
