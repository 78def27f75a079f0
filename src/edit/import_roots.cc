#include "edit/import_roots.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace accelport {
namespace {

constexpr const char* kProjectFiles[] = {"setup.py", "pyproject.toml", "setup.cfg"};
constexpr std::string_view kSettings[] = {"config", "configs", "cfg", "cfgs", "conf"};
constexpr std::string_view kLoose[] = {"examples", "example", "projects", "scripts", "tools", "benchmarks", "demo"};
constexpr int kMaxDepth = 64;
constexpr int kNear = 2;  // folders between a package and the project file that builds it, as in src/pkg

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

std::string name_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

bool is_identifier(std::string_view name) {
  return !name.empty() && !is_ascii_digit(name[0]) && std::all_of(name.begin(), name.end(), is_word_byte);
}

bool is_below(const std::string& module, const std::string& package) {
  return module == package || module.starts_with(package + ".");
}

/// How many folders `inner` lies below `outer`.
int depth_below(const std::string& inner, const std::string& outer) {
  if (inner == outer) return 0;
  const std::string_view rest = std::string_view(inner).substr(outer.empty() ? 0 : outer.size() + 1);
  return 1 + static_cast<int>(std::count(rest.begin(), rest.end(), '/'));
}

}  // namespace

std::string HelperPlace::statement(std::string_view name) const {
  std::string text = from.empty() ? "import " : "from " + from + " import ";
  return text.append(name);
}

ImportRoots::ImportRoots(std::string root, const Files& files, const std::vector<ImportFacts>& facts,
                         const std::set<std::string>& helpers)
    : root_(std::move(root)), files_(files) {
  for (const std::string& helper : helpers) {
    const std::string top = top_package(folder_of(helper));
    if (is_package(folder_of(helper)) && is_identifier(name_of(top)) && is_distributed(top, kMaxDepth))
      packages_.emplace(name_of(top), top);
  }
  for (const ImportFacts& file : facts) {
    const std::string folder = folder_of(file.path);
    for (const std::string& module : file.modules) dotted_[module].insert(folder);
    const std::string top = top_package(folder);
    if (!is_package(folder)) continue;
    auto& [relative, absolute] = styles_[top];
    relative += file.relative;
    const std::string name = name_of(top);
    for (const std::string& module : file.modules) absolute += is_below(module, name);
    if (!file.test && is_identifier(name) && is_distributed(top, kMaxDepth)) packages_.emplace(name, top);
  }
}

bool ImportRoots::exists(const std::string& path) const {
  const auto info = files_.info(join_path(root_, path));
  return info && info->type == FileType::regular;
}

/// A project file lies beside the package or above it.
bool ImportRoots::is_distributed(const std::string& package, int reach) const {
  std::string folder = package;
  for (int i = 0; i < reach && !folder.empty(); ++i) {
    folder = folder_of(folder);
    for (const char* name : kProjectFiles)
      if (exists(join_path(folder, name))) return true;
  }
  return false;
}

/// The outermost package around `folder`; `folder` itself if it is none.
std::string ImportRoots::top_package(const std::string& folder) const {
  std::string top = folder;
  for (int i = 0; i < kMaxDepth && !top.empty() && is_package(top); ++i) {
    const std::string above = folder_of(top);
    if (above.empty() || !is_package(above)) break;
    top = above;
  }
  return top;
}

bool ImportRoots::prefers_relative(const std::string& package, const ImportFacts& facts) const {
  const std::string name = name_of(package);
  const auto own = [&](const std::string& module) { return is_below(module, name); };
  if (facts.relative > 0) return true;
  if (std::any_of(facts.modules.begin(), facts.modules.end(), own)) return false;
  const auto found = styles_.find(package);
  return !is_identifier(name) || (found != styles_.end() && found->second.first > found->second.second);
}

/// A file of a package that nobody installs, as `examples` with an __init__.py, and that never names the package: it
/// may as well run as a program, where the package is not to be found.
bool ImportRoots::is_on_its_own(const std::string& package, const ImportFacts& facts) const {
  const std::string name = name_of(package);
  const auto own = [&](const std::string& module) { return is_below(module, name); };
  if (facts.relative > 0 || std::any_of(facts.modules.begin(), facts.modules.end(), own)) return false;
  return std::find(std::begin(kLoose), std::end(kLoose), name) != std::end(kLoose) || !is_distributed(package, kNear);
}

HelperPlace ImportRoots::inside(const std::string& package, const ImportFacts& facts) const {
  HelperPlace place{package, name_of(package)};
  const std::string folder = folder_of(facts.path);
  const bool below = folder == package || folder.starts_with(package.empty() ? "" : package + "/");
  if (below && is_package(folder) && prefers_relative(package, facts))
    place.from = std::string(static_cast<std::size_t>(depth_below(folder, package)) + 1, '.');
  return place;
}

/// A distributed package, other than the file's own, that the file imports; a test's is the only one there is.
std::string ImportRoots::imported_package(const ImportFacts& facts, const std::string& own) const {
  for (const std::string& module : facts.modules) {
    const auto found = packages_.find(module.substr(0, module.find('.')));
    if (found != packages_.end() && found->second != own) return found->second;
  }
  return facts.test && packages_.size() == 1 ? packages_.begin()->second : std::string();
}

/// The folder above `path` from which another file imports it as `a.b.c`; the file's own folder if none does.
std::string ImportRoots::root_by_dotted_import(const std::string& path) const {
  std::string folder = folder_of(path);
  std::string dotted = name_of(path.substr(0, path.rfind('.')));
  while (!folder.empty()) {
    dotted = name_of(folder) + "." + dotted;
    const std::string above = folder_of(folder);
    for (std::string_view name = dotted; !name.empty();) {
      const auto found = dotted_.find(std::string(name));
      if (found != dotted_.end() && found->second.count(above) != 0) return above;
      const std::size_t dot = name.rfind('.');
      if (dot == std::string_view::npos || name.find('.') == dot) break;
      name = name.substr(0, dot);
    }
    folder = above;
  }
  return folder_of(path);
}

bool ImportRoots::is_settings(const ImportFacts& facts) const {
  std::string folder = folder_of(facts.path);
  if (facts.main || is_package(folder)) return false;
  for (; !folder.empty(); folder = folder_of(folder))
    if (std::find(std::begin(kSettings), std::end(kSettings), name_of(folder)) != std::end(kSettings)) return true;
  return false;
}

HelperPlace ImportRoots::place(const ImportFacts& facts) const {
  const std::string folder = folder_of(facts.path);
  const bool packaged = is_package(folder);
  const std::string top = packaged ? top_package(folder) : std::string();
  const std::string imported = imported_package(facts, packaged ? top : "\n");
  if (packaged && !facts.test && !imported.empty() && is_on_its_own(top, facts)) return inside(imported, facts);
  if (packaged && !facts.test && (is_distributed(top, kMaxDepth) || prefers_relative(top, facts)))
    return inside(top, facts);
  if (!imported.empty()) return inside(imported, facts);
  if (packaged && (is_distributed(top, kMaxDepth) || prefers_relative(top, facts))) return inside(top, facts);
  if (packaged) return {folder_of(top), {}};
  return {root_by_dotted_import(facts.path), {}};
}

std::optional<HelperPlace> ImportRoots::place_at(const std::string& folder, const ImportFacts& facts) const {
  const HelperPlace usual = place(facts);
  if (!is_package(folder)) {
    const bool same = usual.folder == folder && usual.from.empty();
    return same ? std::optional(usual) : std::nullopt;
  }
  const std::string top = top_package(folder), own = folder_of(facts.path);
  const bool inside = is_package(own) && top_package(own) == top;
  std::string dotted = folder.substr(folder_of(top).empty() ? 0 : folder_of(top).size() + 1);
  std::replace(dotted.begin(), dotted.end(), '/', '.');
  if (!inside) {
    const bool found = is_distributed(top, kMaxDepth) || (usual.folder == folder_of(top) && usual.from.empty());
    return found ? std::optional(HelperPlace{folder, dotted}) : std::nullopt;
  }
  if (!prefers_relative(top, facts)) return HelperPlace{folder, dotted};
  std::string common = own;
  while (common != folder && !folder.starts_with(common + "/")) common = folder_of(common);
  std::string below = folder.substr(std::min(common.size() + 1, folder.size()));
  std::replace(below.begin(), below.end(), '/', '.');
  return HelperPlace{folder, std::string(static_cast<std::size_t>(depth_below(own, common)) + 1, '.') + below};
}

}  // namespace accelport
