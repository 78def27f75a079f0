#include "support.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace accelport::test {
namespace {

namespace fs = std::filesystem;

Result<void> ask(const std::function<Result<void>(const std::string&)>& question, const std::string& path) {
  return question ? question(path) : Result<void>();
}

}  // namespace

const Catalog& catalog() {
  static const Result<Catalog> loaded = load_catalog(embedded_data());
  if (!loaded) {
    std::fprintf(stderr, "the knowledge cannot be loaded: %s\n", to_string(loaded.error()).c_str());
    std::exit(1);
  }
  return *loaded;
}

const Processes& no_processes() {
  static const ScriptedProcesses processes;
  return processes;
}

TempFolder::TempFolder() {
  std::string name = (fs::temp_directory_path() / "accelport-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) std::abort();
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TempFolder::write(const std::string& name, std::string_view bytes) const {
  const std::string path = path_ + "/" + name;
  fs::create_directories(fs::path(path).parent_path());
  const auto written = real_files().write(path, bytes);
  EXPECT_TRUE(written) << path;
  return path;
}

Result<FileInfo> FaultyFiles::info(const std::string& path) const {
  TRY_DO(ask(before_info, path));
  return files_.info(path);
}

Result<std::vector<DirectoryEntry>> FaultyFiles::list(const std::string& directory) const {
  TRY_DO(ask(before_list, directory));
  auto entries = files_.list(directory);
  if (entries && after_list) after_list(*entries);
  return entries;
}

Result<void> FaultyFiles::read(const std::string& path, std::uint64_t limit, ByteBuffer& buffer) const {
  TRY_DO(ask(before_read, path));
  return files_.read(path, limit, buffer);
}

Result<void> FaultyFiles::write(const std::string& path, std::string_view bytes) const {
  return files_.write(path, bytes);
}

Result<std::string> FaultyFiles::canonical(const std::string& path) const { return files_.canonical(path); }

Audit audit_with(const AuditOptions& options, const Files& files, const Processes& processes) {
  auto audit = run_audit(catalog(), options, files, processes);
  EXPECT_TRUE(audit) << (audit ? std::string() : to_string(audit.error()));
  return audit ? std::move(*audit) : Audit();
}

Audit audit_of(const std::string& root, const Files& files, const Processes& processes) {
  AuditOptions options;
  options.roots = {root};
  return audit_with(options, files, processes);
}

const AuditedFile* find_file(const Audit& audit, std::string_view path) {
  const auto found =
      std::find_if(audit.files.begin(), audit.files.end(), [&](const auto& f) { return f.path == path; });
  return found == audit.files.end() ? nullptr : &*found;
}

const SkippedFile* find_skipped(const Audit& audit, std::string_view path) {
  const auto found =
      std::find_if(audit.skipped.begin(), audit.skipped.end(), [&](const auto& f) { return f.path == path; });
  return found == audit.skipped.end() ? nullptr : &*found;
}

std::string describe(const AuditedFile& file, const Occurrence& o) {
  return fmt::format("{}:{}:{}-{}:{} `{}` {} {} port:{} api:{} [{}]", file.path, o.line, o.column, o.end_line,
                     o.end_column, escape_for_display(o.text), to_string(o.category), to_string(o.decision),
                     to_string(o.action), o.api, o.rule == nullptr ? "no rule" : o.rule->id);
}

std::string fingerprint(const Audit& audit) {
  std::string out = fmt::format("{} files, {} bytes, {} lines\n", audit.scanned, audit.bytes, audit.lines);
  for (const AuditedFile& file : audit.files)
    for (const Occurrence& o : file.occurrences)
      out += fmt::format("{} {} {} {} {} {} {}\n", describe(file, o), o.id, o.group, o.hits, o.reason, o.replacement,
                         o.notes.size());
  for (const SkippedFile& skipped : audit.skipped)
    out += fmt::format("{}: {} {}\n", skipped.path, skipped.reason, skipped.problem);
  for (std::size_t i = 0; i < audit.term_hits.size(); ++i)
    out += fmt::format("{} {}\n", audit.term_hits[i], audit.term_covered[i]);
  for (const std::string& problem : audit.problems) out += problem + "\n";
  return out;
}

}  // namespace accelport::test
