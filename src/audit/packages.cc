#include "audit/packages.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>

#include <fmt/core.h>

#include "base/text.h"

namespace accelport {
namespace {

constexpr std::string_view kInfoEnd = ".dist-info";
constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{64} << 20;

using Names = std::unordered_set<std::string>;

std::string_view up_to(std::string_view text, std::string_view stops) {
  return text.substr(0, text.find_first_of(stops));
}

/// Calls `each` with every line, without its end.
template <typename Each>
void for_each_line(std::string_view text, Each each) {
  while (!text.empty()) {
    const std::string_view line = up_to(text, "\n");
    each(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
}

/// The top-level modules of an import statement; a line of prose that begins like one gives names of nothing.
void add_imports(std::string_view line, Names& names) {
  line = trim(line);
  if (line.starts_with("from ")) {
    const std::string_view module = up_to(trim(line.substr(5)), ". \t");
    if (!module.empty()) names.emplace(module);
  } else if (line.starts_with("import ")) {
    std::string_view list = up_to(line.substr(7), "#;");
    while (!list.empty()) {
      const std::string_view item = up_to(list, ",");
      names.emplace(up_to(trim(item), ". \t"));
      list.remove_prefix(std::min(list.size(), item.size() + 1));
    }
  }
}

/// Top-level modules from elsewhere that the project's Python files import.
Names imported_modules(const std::vector<Candidate>& project, const Names& own_modules, const Files& files) {
  Names names;
  ByteBuffer bytes;
  for (const Candidate& candidate : project)
    if (candidate.path.ends_with(".py") && files.read(candidate.full_path, kMaxFileBytes, bytes))
      for_each_line(bytes.view(), [&](std::string_view line) { add_imports(line, names); });
  for (const std::string& own : own_modules) names.erase(own);
  return names;
}

/// The path in a line of RECORD (`path,hash,size`, quoted if need be) if it is a Python file's inside the folder.
std::optional<std::string> recorded_source(std::string_view line) {
  const bool quoted = line.starts_with('"');
  const std::string_view path = quoted ? up_to(line.substr(1), "\"") : up_to(line, ",");
  const bool leaves = path.starts_with('/') || path.starts_with("../") || path.find("/../") != path.npos;
  if (leaves || !path.ends_with(".py")) return std::nullopt;
  return std::string(path);
}

std::string top_module(std::string_view path) {
  const std::string_view first = up_to(path, "/");
  return std::string(first.size() == path.size() ? first.substr(0, first.size() - 3) : first);
}

struct Distribution {
  std::string name;
  std::string version;
  std::string folder;
  std::vector<std::string> sources;  // relative to the folder

  std::string title() const { return name + " " + version; }
};

std::optional<Distribution> read_distribution(const std::string& folder, const std::string& info, const Files& files) {
  const std::string_view stem = std::string_view(info).substr(0, info.size() - kInfoEnd.size());
  const std::size_t dash = stem.rfind('-');
  ByteBuffer record;
  if (dash == stem.npos || !files.read(join_path(join_path(folder, info), "RECORD"), kMaxRecordBytes, record))
    return std::nullopt;
  Distribution found{std::string(stem.substr(0, dash)), std::string(stem.substr(dash + 1)), folder, {}};
  for_each_line(record.view(), [&](std::string_view line) {
    if (auto source = recorded_source(line)) found.sources.push_back(std::move(*source));
  });
  return found;
}

bool holds_any(const Distribution& distribution, const Names& modules) {
  return std::any_of(distribution.sources.begin(), distribution.sources.end(),
                     [&](const std::string& source) { return modules.count(top_module(source)) != 0; });
}

/// Why a file that RECORD names is not read, or nothing.
std::string obstacle(const std::string& full_path, const std::string& real_folder, const FileInfo* info,
                     const Files& files) {
  if (info == nullptr) return "RECORD names it, but it is not there";
  if (info->type != FileType::regular) return "not a regular file";
  const auto real = files.canonical(full_path);
  if (!real || !real->starts_with(real_folder + "/")) return "lies outside of the folder of packages";
  if (info->size > kMaxFileBytes)
    return fmt::format("{} bytes are more than the limit of {}", info->size, kMaxFileBytes);
  return {};
}

InstalledPackage candidates_of(const Distribution& distribution, const Files& files,
                               std::vector<SkippedFile>& skipped) {
  InstalledPackage package{distribution.title(), {}};
  const auto real_folder = files.canonical(distribution.folder);
  for (const std::string& source : distribution.sources) {
    const std::string path = fmt::format("packages:{}/{}", package.name, source);
    const std::string full_path = join_path(distribution.folder, source);
    const auto info = files.info(full_path);
    const std::string reason =
        obstacle(full_path, real_folder ? *real_folder : distribution.folder, info ? &*info : nullptr, files);
    if (reason.empty()) {
      package.candidates.push_back({path, full_path, info->size, true});
    } else {
      skipped.push_back({path, reason, false});
    }
  }
  return package;
}

void add_packages_below(const std::string& base, const Files& files, std::vector<std::string>& folders) {
  const std::string lib = join_path(base, "lib");
  const auto entries = files.list(lib);
  if (!entries) return;
  for (const DirectoryEntry& entry : *entries)
    for (const std::string_view name : {"site-packages", "dist-packages"}) {
      const std::string folder = join_path(join_path(lib, entry.name), name);
      if (entry.name.starts_with("python") && files.list(folder)) folders.push_back(folder);
    }
}

/// The folder above the `bin` of the first python3 on `path`.
std::string interpreter_base(std::string_view path, const Files& files) {
  std::string base;
  while (!path.empty() && base.empty()) {
    const std::string_view bin = up_to(path, ":");
    if (bin.ends_with("/bin") && files.info(join_path(bin, "python3"))) base = bin.substr(0, bin.size() - 4);
    path.remove_prefix(std::min(path.size(), bin.size() + 1));
  }
  return base;
}

}  // namespace

std::vector<std::string> package_folders(const PythonPlaces& places, const Files& files) {
  std::vector<std::string> folders;
  for (const std::string& base : {places.virtual_env, places.conda_prefix, interpreter_base(places.path, files)})
    if (!base.empty() && folders.empty()) add_packages_below(base, files, folders);
  return folders;
}

std::vector<InstalledPackage> imported_packages(const std::vector<Candidate>& project, const Names& own_modules,
                                                const std::vector<std::string>& folders, const Files& files,
                                                std::vector<SkippedFile>& skipped) {
  const Names modules = imported_modules(project, own_modules, files);
  Names seen;
  std::vector<InstalledPackage> packages;
  for (const std::string& folder : folders) {
    const auto entries = files.list(folder);
    if (!entries) continue;
    for (const DirectoryEntry& entry : *entries) {
      if (!entry.name.ends_with(kInfoEnd)) continue;
      const auto distribution = read_distribution(folder, entry.name, files);
      if (!distribution || !holds_any(*distribution, modules) || !seen.insert(distribution->name).second) continue;
      if (distribution->name == "torch") {
        skipped.push_back({fmt::format("packages:{}/", distribution->title()), "a platform brings its own", false});
      } else {
        packages.push_back(candidates_of(*distribution, files, skipped));
      }
    }
  }
  std::sort(packages.begin(), packages.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return packages;
}

}  // namespace accelport
