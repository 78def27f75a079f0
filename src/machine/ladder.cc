#include "machine/ladder.h"

#include <algorithm>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/core.h>

#include "base/json_text.h"
#include "base/version.h"
#include "catalog/fields.h"
#include "catalog/toml.h"
#include "machine/private_folder.h"

namespace accelport {
namespace {

constexpr std::string_view kRungs = "rungs.toml";
constexpr std::string_view kPrograms = "rungs/";
constexpr std::string_view kWriter = "evidence.py";
constexpr std::string_view kPackage = "_accelport_verify/";  // a name that no tree has
constexpr std::string_view kStart =
    "import sys\n\nfrom _accelport_verify.rungs.ladder import main\n\nsys.exit(main())\n";
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMostOutput = std::size_t{16} << 20;
constexpr std::size_t kTail = 400;
constexpr int kLongestDeadline = 24 * 60 * 60;  // seconds

/// Runs what is started in the foreground behind pipes instead, for a bounded time.
class BoundedProcesses : public Processes {
 public:
  BoundedProcesses(const Processes& inner, int seconds) : inner_(inner), limit_(seconds) {}

  Result<ProcessResult> run(const ProcessRequest& request) const override { return inner_.run(request); }
  Result<int> run_in_foreground(const ProcessRequest& request) const override {
    ProcessRequest bounded = request;
    bounded.time_limit = limit_;
    bounded.output_limit = kMostOutput;
    TRY(result_, inner_.run(bounded));
    return result_.exit_code;
  }
  const ProcessResult& result() const { return result_; }

 private:
  const Processes& inner_;
  std::chrono::seconds limit_;
  mutable ProcessResult result_;
};

class TemporaryFolder {
 public:
  TemporaryFolder(std::string path, const EditableFiles& files) : path_(std::move(path)), files_(files) {}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { static_cast<void>(remove_tree(path_, files_)); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  const EditableFiles& files_;
};

std::map<std::string, std::string> programs(const std::vector<DataFile>& data) {
  std::map<std::string, std::string> found = {{"start.py", std::string(kStart)},
                                              {std::string(kPackage) + "__init__.py", ""}};
  for (const DataFile& file : data)
    if (file.path == kWriter || (file.path.substr(0, kPrograms.size()) == kPrograms))
      found[std::string(kPackage) + std::string(file.path)] = std::string(file.bytes);
  return found;
}

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

Result<std::string> settings_of(const LadderRequest& request, const RunWorld& world) {
  std::string device = "cpu", package;
  if (request.target.kind == RunTarget::Kind::simulated) {
    TRY(const SimulatedPlatform platform, read_simulated_platform(request.target.platform, world.data, world.files));
    device = platform.device;
    package = platform.package;
  }
  const std::pair<const char*, std::string> members[] = {{"on", request.on},     {"device", device},
                                                         {"package", package},   {"tool", std::string(version())},
                                                         {"root", request.root}, {"case", request.case_file}};
  std::string text;
  for (const auto& [key, value] : members) {
    text += text.empty() ? '{' : ',';
    append_json_string(text, key);
    text += ':';
    append_json_string(text, value);
  }
  return text + '}';
}

std::string end_of(const ProcessResult& result, const Rung& rung) {
  if (result.timed_out) return fmt::format("it had not ended at its deadline of {} s, and was ended", rung.deadline);
  const std::string& errors = result.error_output;
  const std::string tail = errors.size() > kTail ? errors.substr(errors.size() - kTail) : errors;
  if (result.exit_code > 128) return fmt::format("killed by signal {}", result.exit_code - 128);
  return fmt::format("exit code {} without a verdict: {}", result.exit_code, tail);
}

/// The verdict that the rung left on the disk; one that it could not leave is put there.
Result<RungResult> verdict_of(const Rung& rung, const std::string& path, const ProcessResult& ended,
                              const EditableFiles& files) {
  ByteBuffer buffer;
  std::string text;
  if (files.read(path, kMostBytes, buffer)) text = std::string(buffer.view());
  if (const std::string closing = closing_line(text, rung.id, end_of(ended, rung), utc_now()); !closing.empty()) {
    if (text.back() != '\n') text += '\n';
    text += closing;
    TRY_DO(files.write(path, text));
  }
  EvidenceSet set;
  add_evidence(text, path, set);
  const auto last = std::find_if(set.attempts.rbegin(), set.attempts.rend(),
                                 [&](const Evidence& attempt) { return attempt.id == rung.id; });
  if (last == set.attempts.rend()) return RungResult{rung, RungVerdict::unknown, end_of(ended, rung)};
  const auto reason = last->values.find("reason");
  return RungResult{rung, last->verdict, reason == last->values.end() ? std::string() : reason->second};
}

struct Ladder {
  const LadderRequest& request;
  const RunWorld& world;
  std::string program;
  std::string settings;
  std::string file;

  Result<RungResult> run(const Rung& rung) const {
    if (rung.deadline == 0)
      return RungResult{rung, RungVerdict::unknown, "this version has no program for it; try: " + rung.how};
    const BoundedProcesses bounded(world.processes, rung.deadline);
    RunRequest run;
    run.target = request.target;
    run.program = {program, rung.id, file, settings};
    run.faults = request.faults;
    run.quiet = true;
    TRY_DO(run_on_target(run, {world.files, bounded, world.data, world.say}));
    return verdict_of(rung, join_path(join_path(request.root, kEvidenceFolder), file), bounded.result(), world.files);
  }
};

Result<std::vector<Rung>> chosen(const LadderRequest& request, const RunWorld& world) {
  TRY(std::vector<Rung> all, read_rungs(world.data));
  if (request.rungs.empty()) return all;
  std::vector<Rung> some;
  for (const std::string& id : request.rungs) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Rung& rung) { return rung.id == id; });
    if (found == all.end()) return fail(Error::Kind::usage, fmt::format("there is no rung '{}'", id), "--rungs");
    some.push_back(*found);
  }
  return some;
}

}  // namespace

Result<std::vector<Rung>> read_rungs(const std::vector<DataFile>& data) {
  std::vector<Rung> rungs;
  const DataFile* file = find_data_file(data, kRungs);
  if (file == nullptr) return rungs;
  TRY(const TomlValue table, parse_toml(file->bytes, file->path));
  FieldErrors errors{file->path, {}};
  Fields top(table, "the file", errors);
  top.required_text("schema");
  for (const TomlValue* entry : top.tables("rung")) {
    Fields row(*entry, "[[rung]]", errors);
    rungs.push_back({row.required_text("id"), row.required_text("title"), row.text("not_shown").value_or(""),
                     row.text("how").value_or(""), row.number("deadline", 1, kLongestDeadline).value_or(0)});
    row.finish();
  }
  top.finish();
  if (errors.first) return tl::unexpected(std::move(*errors.first));
  return rungs;
}

Result<std::vector<RungResult>> climb(const LadderRequest& request, const RunWorld& world,
                                      const std::function<void(const RungResult&)>& tell) {
  TRY(const std::vector<Rung> rungs, chosen(request, world));
  const std::string temporary = environment_variable("TMPDIR");
  const std::string prefix = join_path(temporary.empty() ? "/tmp" : temporary, "accelport-verify-");
  TRY(std::string made, world.files.make_private_folder(prefix));
  const TemporaryFolder folder(std::move(made), world.files);
  TRY_DO(write_private_folder(programs(world.data), folder.path(), world.files));
  TRY(const std::string settings, settings_of(request, world));
  std::string name = utc_now() + "-" + request.on;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ':' || c == '/'; }, '-');
  const Ladder ladder{request, world, join_path(folder.path(), "start.py"), settings, name + ".jsonl"};
  std::vector<RungResult> results;
  for (const Rung& rung : rungs) {
    TRY(RungResult result, ladder.run(rung));
    tell(result);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace accelport
