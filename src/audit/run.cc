#include "audit/run.h"

#include <algorithm>
#include <mutex>
#include <numeric>

#include <fmt/core.h>

#include "audit/baseline.h"
#include "audit/decide.h"
#include "audit/discover.h"
#include "audit/examine.h"
#include "audit/git.h"
#include "audit/packages.h"
#include "audit/project.h"
#include "base/parallel.h"

namespace accelport {
namespace {

/// Indices of the candidates, largest file first, so that one huge file does not start last.
std::vector<std::size_t> largest_first(const std::vector<Candidate>& candidates) {
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return candidates[a].size > candidates[b].size; });
  return order;
}

void add_counts(std::vector<std::uint64_t>& sum, const std::vector<std::uint64_t>& part) {
  for (std::size_t i = 0; i < part.size(); ++i) sum[i] += part[i];
}

void collect(Examined& examined, bool keep_paths, Audit& audit) {
  std::move(examined.problems.begin(), examined.problems.end(), std::back_inserter(audit.problems));
  if (examined.is_skipped) {
    audit.skipped.push_back(std::move(examined.skipped));
    return;
  }
  AuditedFile& file = examined.file;
  ++audit.scanned;
  audit.bytes += file.bytes;
  audit.lines += file.lines;
  add_counts(audit.term_hits, file.term_hits);
  add_counts(audit.term_covered, file.term_covered);
  if (keep_paths) audit.scanned_paths.push_back(file.path);
  if (!file.occurrences.empty()) audit.files.push_back(std::move(file));
}

std::vector<Examined> examine_all(const Catalog& catalog, const std::vector<Candidate>& candidates,
                                  const ReaderFacts& facts, const AuditOptions& options,
                                  const std::vector<const Platform*>& platforms, const Files& files) {
  const std::vector<std::size_t> order = largest_first(candidates);
  std::vector<Examined> results(order.size());
  std::vector<Workspace> workspaces(static_cast<std::size_t>(thread_count(options.jobs)));
  std::mutex progress_mutex;
  std::uint64_t done = 0;
  parallel_for(order.size(), static_cast<int>(workspaces.size()), [&](std::size_t i, int worker) {
    const Candidate& candidate = candidates[order[i]];
    results[order[i]] = examine_file(candidate, catalog, platforms, facts, files, workspaces[worker]);
    if (!options.progress) return;
    const std::lock_guard lock(progress_mutex);
    options.progress(++done, order.size());
  });
  return results;
}

void mark_installed(const std::string& package, AuditedFile& file) {
  file.package = package;
  for (Occurrence& occurrence : file.occurrences) occurrence.installed = true;
}

/// Installed packages are read as if each were a repository of its own.
void audit_packages(const Catalog& catalog, const std::vector<Candidate>& project, const ReaderFacts& own,
                    const AuditOptions& options, const Files& files, Audit& audit) {
  for (const InstalledPackage& package :
       imported_packages(project, own.own_modules, options.package_folders, files, audit.skipped)) {
    const ReaderFacts facts = project_facts(package.candidates, catalog, files);
    for (Examined& examined : examine_all(catalog, package.candidates, facts, options, audit.platforms, files)) {
      mark_installed(package.name, examined.file);
      collect(examined, options.keep_paths, audit);
    }
    audit.packages.push_back({package.name, package.candidates.size()});
  }
  std::stable_sort(audit.files.begin(), audit.files.end(),
                   [](const AuditedFile& a, const AuditedFile& b) { return a.path < b.path; });
}

/// A person's decisions, kept with the tree, win over the rules.
Result<void> apply_decisions(const AuditOptions& options, const Files& files, Audit& audit) {
  if (options.roots.size() != 1) return {};
  const std::string path = join_path(options.roots[0], ".accelport/decisions.jsonl");
  if (!files.info(path)) return {};
  ByteBuffer bytes;
  TRY_DO(files.read(path, kMaxFileBytes, bytes));
  TRY(const auto decisions, parse_decisions(bytes.view(), path));
  std::unordered_map<std::string, const PersonDecision*> by_id;
  for (const PersonDecision& decision : decisions) by_id[decision.id] = &decision;
  for (AuditedFile& file : audit.files)
    for (Occurrence& occurrence : file.occurrences)
      if (const auto found = by_id.find(occurrence.id); found != by_id.end()) {
        override_decision(found->second->decision, found->second->reason, "decisions.jsonl", occurrence);
        audit.foreign_decisions += !found->second->made_here;
      }
  return {};
}

}  // namespace

Result<std::vector<const Platform*>> chosen_platforms(const Catalog& catalog, const std::vector<std::string>& names) {
  std::vector<const Platform*> chosen;
  for (const Platform& platform : catalog.platforms)
    if (names.empty()) chosen.push_back(&platform);
  for (const std::string& name : names) {
    const Platform* const platform = catalog.find_platform(name);
    if (platform == nullptr) {
      std::string known;
      for (const Platform& p : catalog.platforms) known += (known.empty() ? "" : ", ") + p.name;
      return fail(Error::Kind::usage, fmt::format("there is no platform '{}'", name), {}, "known: " + known);
    }
    chosen.push_back(platform);
  }
  return chosen;
}

Result<Audit> run_audit(const Catalog& catalog, const AuditOptions& options, const Files& files,
                        const Processes& processes) {
  Audit audit;
  TRY(audit.platforms, chosen_platforms(catalog, options.platforms));
  TRY(Discovery found, discover(options, files, processes));
  audit.skipped = std::move(found.skipped);
  audit.term_hits.assign(catalog.terms.size(), 0);
  audit.term_covered.assign(catalog.terms.size(), 0);
  const ReaderFacts facts = project_facts(found.candidates, catalog, files);
  for (Examined& examined : examine_all(catalog, found.candidates, facts, options, audit.platforms, files))
    collect(examined, options.keep_paths, audit);
  if (!options.package_folders.empty()) audit_packages(catalog, found.candidates, facts, options, files, audit);
  std::stable_sort(audit.skipped.begin(), audit.skipped.end(),
                   [](const auto& a, const auto& b) { return a.path < b.path; });
  TRY_DO(apply_decisions(options, files, audit));
  return audit;
}

Result<Baseline> baseline_of_revision(const Catalog& catalog, const AuditOptions& options, const std::string& revision,
                                      const Audit& audit, const Processes& processes) {
  if (options.roots.size() != 1)
    return fail(Error::Kind::usage, "--since needs exactly one path", {}, "name the repository's folder");
  std::vector<std::string> paths;
  std::vector<Candidate> candidates;
  for (const AuditedFile& file : audit.files) {
    if (!file.package.empty()) continue;
    paths.push_back(file.path);
    candidates.push_back({file.path, file.path, file.bytes, false});
  }
  TRY(const auto contents, read_revision(options.roots[0], revision, paths, processes));
  const ReaderFacts facts = project_facts(candidates, catalog, real_files());
  Baseline baseline;
  Workspace workspace;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    if (!contents[i]) continue;
    workspace.bytes.assign(*contents[i]);
    const Examined old =
        examine_bytes(candidates[i], workspace.bytes.view(), catalog, audit.platforms, facts, workspace);
    for (const Occurrence& occurrence : old.file.occurrences)
      baseline.add(occurrence.id, occurrence.rule == nullptr ? "" : occurrence.rule->id, occurrence.text);
  }
  return baseline;
}

}  // namespace accelport
