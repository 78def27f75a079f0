#include "audit/project.h"

#include <string_view>
#include <thread>

#include "audit/copies.h"

namespace accelport {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::string parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

std::string_view last_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string dotted(std::string_view path) {
  std::string name(path);
  for (char& c : name)
    if (c == '/') c = '.';
  return name;
}

/// Folders that hold an `__init__.py`.
std::unordered_set<std::string> package_folders(const std::vector<Candidate>& candidates) {
  std::unordered_set<std::string> folders;
  for (const Candidate& candidate : candidates)
    if (last_of(candidate.path) == "__init__.py") folders.insert(parent_of(candidate.path));
  return folders;
}

/// The part of `path` below its import root: the folder above the outermost package around it.
std::string below_import_root(std::string path, const std::unordered_set<std::string>& packages) {
  std::string root = parent_of(path);
  while (!root.empty() && packages.count(root) != 0) root = parent_of(root);
  return root.empty() ? path : path.substr(root.size() + 1);
}

/// A lone file such as scripts/deepspeed.py can be imported by its neighbours only; it must not make every
/// `import deepspeed` of the tree its own. A copy of torch in the tree is still torch.
bool is_importable(const std::string& module, const std::string& below,
                   const std::unordered_set<std::string>& packages) {
  const std::string root =
      module.size() == below.size() ? std::string() : module.substr(0, module.size() - below.size() - 1);
  const bool in_package = below.find('/') != std::string::npos || packages.count(module) != 0;
  const std::string_view folder = last_of(root);
  if (below == "torch" || below.compare(0, 6, "torch/") == 0) return false;
  return in_package || root.empty() || folder == "src" || folder == "lib" || folder == "python";
}

}  // namespace

ReaderFacts project_facts(const std::vector<Candidate>& candidates, const Catalog& catalog, const Files& files) {
  const std::unordered_set<std::string> packages = package_folders(candidates);
  ReaderFacts facts;
  for (const Platform& platform : catalog.platforms) facts.device_words.insert(ascii_lower(platform.device));
  std::jthread copies([&] { facts.platform_copies = find_platform_copies(candidates, facts.device_words, files); });
  for (const Candidate& candidate : candidates) {
    if (!ends_with(candidate.path, ".py") && !ends_with(candidate.path, ".pyx") && !ends_with(candidate.path, ".pyi"))
      continue;
    std::string module = candidate.path.substr(0, candidate.path.rfind('.'));
    if (last_of(module) == "__init__") module = parent_of(module);
    if (module.empty()) continue;
    facts.own_module_paths.insert(dotted(module));  // relative imports are resolved from the file's own path
    const std::string below = below_import_root(module, packages);
    if (!is_importable(module, below, packages)) continue;
    const std::string name = dotted(below);
    facts.own_modules.insert(name.substr(0, name.find('.')));
    facts.own_module_paths.insert(name);
  }
  copies.join();
  return facts;
}

}  // namespace accelport
