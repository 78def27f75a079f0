#include "prove/tree_modules.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "syntax/encoding.h"
#include "syntax/file_names.h"
#include "syntax/scan.h"

namespace accelport {
namespace {

/// Star imports that lead to star imports.
constexpr int kMaxStars = 8;
constexpr std::string_view kTorch = "torch";
constexpr std::string_view kInit = "__init__";
/// Modules that Python or pytest imports by itself.
constexpr std::array<std::string_view, 3> kOwnAccord = {"sitecustomize", "usercustomize", "conftest"};

/// The name by which a file can be imported, and the folder in which that module lies; no name if it is no module.
struct ModulePlace {
  std::string_view folder;
  std::string_view name;
};

ModulePlace module_place(std::string_view path) {
  const std::string_view file = name_of(path);
  const std::string_view ending = file.substr(std::min(file.rfind('.'), file.size()));
  if (ending != ".py" && ending != ".pyc" && ending != ".so" && ending != ".pyd") return {};
  const std::string_view name = file.substr(0, file.find('.'));
  if (name != kInit) return {folder_of(path), name};
  return {folder_of(folder_of(path)), name_of(folder_of(path))};
}

bool lies_below(std::string_view path, std::string_view folder) {
  return folder.empty() || (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
}

std::string in_folder(std::string_view folder, std::string_view name) {
  return folder.empty() ? std::string(name) : fmt::format("{}/{}", folder, name);
}

/// A Python file of the tree, read for its imports.
struct ReadModule {
  std::string bytes;
  DecodedText decoded;
  std::unique_ptr<PythonText> source;

  explicit ReadModule(std::string given) : bytes(std::move(given)) {
    const std::size_t size = bytes.size();
    bytes.append(kTextPadding, '\0');
    decoded = decode_text(std::string_view(bytes).substr(0, size), Language::python);
    if (decoded.encoding != Encoding::binary) source = std::make_unique<PythonText>(decoded.text);
  }
};

}  // namespace

bool TreeModules::has_helper_name(std::string_view path) const {
  const std::string_view name = name_of(path);
  return std::any_of(table_.names.begin(), table_.names.end(), [&](const std::string& n) { return name == n + ".py"; });
}

bool TreeModules::is_watched(std::string_view module) const {
  return module == kTorch || std::find(table_.names.begin(), table_.names.end(), module) != table_.names.end();
}

void TreeModules::set(const std::vector<std::string>& paths,
                      std::map<std::string, std::set<std::string>, std::less<>> helpers) {
  paths_ = paths;
  known_ = {paths.begin(), paths.end()};
  helpers_ = std::move(helpers);
  for (const std::string& path : paths_) {
    const ModulePlace place = module_place(path);
    if (is_watched(place.name) && !is_helper_file(path) && read_(path))
      rivals_.push_back({std::string(place.folder), std::string(place.name), path});
  }
  for (const auto& [path, functions] : helpers_) {
    const std::string name(module_place(path).name);
    if (package_binds(folder_of(path), name, 0)) bound_by_package_[path] = in_folder(folder_of(path), "__init__.py");
  }
}

const TreeModules::Rival* TreeModules::rival(std::string_view folder, std::string_view name) const {
  const auto found = std::find_if(rivals_.begin(), rivals_.end(),
                                  [&](const Rival& r) { return r.folder == folder && r.name == name; });
  return found == rivals_.end() ? nullptr : &*found;
}

bool TreeModules::package_binds(std::string_view folder, const std::string& name, int depth) const {
  return module_binds(in_folder(folder, "__init__.py"), name, depth);
}

/// Whether the module at `path` gives `name` another meaning than the helper beside it.
bool TreeModules::module_binds(const std::string& path, const std::string& name, int depth) const {
  if (known_.count(path) == 0) return false;
  auto bytes = read_(path);
  if (!bytes) return false;
  if (depth > kMaxStars) return true;
  const ReadModule module(std::move(*bytes));
  if (module.source == nullptr) return true;
  const PyLexed& lexed = module.source->lexed;
  const std::string own = fmt::format("{}.{}", name_of(folder_of(path)), name);
  Bindings bindings(*module.source, table_, [&](std::string_view imported) {
    return HelperModule{imported == "." + name || imported == own || imported.ends_with("." + own), nullptr};
  });
  for (const ImportItem& item : bindings.imports()) {
    if (!item.star || !item.module.starts_with('.')) continue;
    std::string_view folder = folder_of(path);
    const std::size_t dots = leading_dots(item.module);
    for (std::size_t i = 1; i < dots; ++i) folder = folder_of(folder);
    std::string target = in_folder(folder, std::string_view(item.module).substr(dots));
    std::replace(target.begin() + static_cast<std::ptrdiff_t>(folder.size()), target.end(), '.', '/');
    if (module_binds(target + ".py", name, depth + 1) || module_binds(target + "/__init__.py", name, depth + 1))
      return true;
  }
  // A package that answers for its names itself may have this one in its list.
  const bool answers = lexed.names.find("__getattr__") != 0;
  if (answers && (module.decoded.text.find("\"" + name + "\"") != std::string::npos ||
                  module.decoded.text.find("'" + name + "'") != std::string::npos))
    return true;
  const std::uint32_t number = lexed.names.find(name);
  if (number == 0) return false;
  for (std::uint32_t t = lexed.names.first(number); t != kNoToken; t = lexed.tokens[t].next) {
    if (module.source->annotator.statement(t).word == PyWord::global_) return true;
    if (!bindings.binds(t)) continue;
    const bool helper = std::any_of(bindings.imports().begin(), bindings.imports().end(), [&](const ImportItem& item) {
      return item.bound == t && bindings.is_helper_import(item);
    });
    if (!helper && !bindings.is_local(t)) return true;
  }
  return false;
}

HelperModule TreeModules::helper_of(std::string_view path, std::string_view module, std::string& doubt) const {
  const std::size_t dots = leading_dots(module);
  std::string wanted(module.substr(dots));
  const bool dotted = wanted.find('.') != std::string::npos;
  std::replace(wanted.begin(), wanted.end(), '.', '/');
  const std::string name(name_of(wanted));
  if (!is_watched(name) || name == kTorch) return {};
  const auto refuse = [&](std::string_view place, std::string_view what) {
    doubt = fmt::format("'{}' may be {} of {}, not the helper", module, what, place);
    return HelperModule{};
  };
  const auto checked = [&](const std::string& helper, const std::set<std::string>& functions) {
    if (const Rival* other = rival(folder_of(helper), name)) return refuse(other->path, "the module");
    const auto package = bound_by_package_.find(helper);
    if ((dots > 0 || dotted) && package != bound_by_package_.end()) return refuse(package->second, "a name");
    return HelperModule{true, &functions};
  };
  if (dots > 0) {
    std::string_view folder = folder_of(path);
    for (std::size_t i = 1; i < dots; ++i) folder = folder_of(folder);
    const auto found = helpers_.find(in_folder(folder, wanted + ".py"));
    return found == helpers_.end() ? HelperModule{} : checked(found->first, found->second);
  }
  for (const auto& [helper, functions] : helpers_) {
    if (helper != wanted + ".py" && !helper.ends_with("/" + wanted + ".py")) continue;
    // A module without a package must lie in a folder around the one that imports it.
    if (!dotted && !lies_below(path, folder_of(helper))) continue;
    for (const Rival& other : rivals_) {
      const std::string as = in_folder(other.folder, other.name);
      const bool same = dotted ? as == wanted || as.ends_with("/" + wanted) : lies_below(path, other.folder);
      if (other.name == name && same) return refuse(other.path, "the module");
    }
    return checked(helper, functions);
  }
  return {};
}

bool TreeModules::is_packaged(std::string_view path, std::size_t dots) const {
  for (std::string_view folder = folder_of(path); dots > 0; --dots, folder = folder_of(folder))
    if (known_.count(in_folder(folder, "__init__.py")) == 0) return false;
  return true;
}

/// A module inside a package is imported by the package's name.
std::optional<std::string> TreeModules::torch_beside(std::string_view path) const {
  for (const Rival& other : rivals_) {
    const bool inner = known_.count(in_folder(other.folder, "__init__.py")) != 0;
    if (other.name == kTorch && !inner && lies_below(path, other.folder)) return other.path;
  }
  return std::nullopt;
}

std::optional<std::string> TreeModules::effect_of_new(std::string_view path) const {
  if (path.ends_with(".pth")) return "a new list of paths, which Python reads by itself";
  const ModulePlace place = module_place(path);
  if (place.name.empty()) return std::nullopt;
  if (is_watched(place.name)) return fmt::format("a new module that may be imported as '{}'", place.name);
  if (std::find(kOwnAccord.begin(), kOwnAccord.end(), place.name) != kOwnAccord.end())
    return fmt::format("a new module '{}', which is imported without being named", place.name);
  return std::nullopt;
}

bool TreeModules::has_module(std::string_view module) const {
  return std::any_of(paths_.begin(), paths_.end(), [&](const std::string& path) {
    if (module_place(path).name == module) return true;
    // A folder is a package without an __init__.py, too.
    for (std::string_view folder = folder_of(path); !folder.empty(); folder = folder_of(folder))
      if (name_of(folder) == module) return true;
    return false;
  });
}

void TreeModules::read_imports(const std::string& path, const std::function<bool(const ImportItem&)>& visit) const {
  auto bytes = read_(path);
  if (!bytes) return;
  const ReadModule module(std::move(*bytes));
  if (module.source == nullptr) return;
  const Bindings bindings(*module.source, table_, [](std::string_view) { return HelperModule{}; });
  for (const ImportItem& item : bindings.imports())
    if (visit(item)) return;
}

std::optional<std::string> TreeModules::importer_of_new(std::string_view path,
                                                        const std::set<std::string>& added) const {
  const std::string name(module_place(path).name);
  if (name.empty()) return std::nullopt;
  for (const std::string& other : paths_) {
    if (!other.ends_with(".py") || added.count(other) != 0 || is_helper_file(other)) continue;
    bool found = false;
    read_imports(other, [&](const ImportItem& item) {
      const std::string_view module = item.module;
      const std::string_view last = module.substr(module.rfind('.') + 1);
      const bool relative = module.starts_with('.');
      found = relative ? last == name || (item.from && item.name == name) : module.substr(0, module.find('.')) == name;
      return found;
    });
    if (found) return other;
  }
  return std::nullopt;
}

bool TreeModules::takes(const std::string& importer, std::string_view module, std::string_view name) const {
  const auto bytes = read_(importer);
  if (!bytes || bytes->find(name) == std::string::npos) return false;
  bool found = false;
  read_imports(importer, [&](const ImportItem& item) {
    if (!item.from || (!item.star && item.name != name)) return false;
    std::string_view folder = folder_of(importer);
    const std::size_t dots = leading_dots(item.module);
    for (std::size_t i = 1; i < dots; ++i) folder = folder_of(folder);
    const std::string_view last = std::string_view(item.module).substr(item.module.rfind('.') + 1);
    found = (last.empty() ? name_of(folder) : last) == module;
    return found;
  });
  return found;
}

bool TreeModules::is_taken(std::string_view path, std::string_view name) const {
  const std::string_view module = module_place(path).name;
  return std::any_of(paths_.begin(), paths_.end(), [&](const std::string& other) {
    return other != path && other.ends_with(".py") && takes(other, module, name);
  });
}

}  // namespace accelport
