#include "prove/tree_proof.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "audit/discover.h"
#include "audit/git.h"
#include "base/parallel.h"
#include "prove/shell_proof.h"
#include "syntax/encoding.h"
#include "syntax/language.h"
#include "syntax/scan.h"

namespace accelport {
namespace {

using Status = ProvenFile::Status;

/// Contents of a revision that are held at a time.
constexpr std::size_t kBatch = 512;
constexpr std::array<std::string_view, 9> kStatuses = {
    "identical", "different", "unreadable", "text", "removed", "added", "helper", "beside", "helper-edited"};

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// The last part of the module that a file is.
std::string_view module_of(std::string_view path) {
  std::string_view name = name_of(path);
  if (name == "__init__.py") name = name_of(folder_of(path));
  return name.substr(0, name.rfind('.'));
}

/// Lines NAME=value that no shell reads.
bool is_settings(std::string_view path) {
  const std::string_view name = name_of(path);
  return name.ends_with(".env") || name.starts_with(".env.");
}

/// Whether a new file is one that no program reads unless it is told to, made for a platform beside that for CUDA.
bool is_beside(std::string_view path, std::string_view bytes) {
  const FileKind kind = file_kind(path, bytes.substr(0, 4096));
  if (!has(kind.roles, FileRole::beside)) return false;
  return kind.language == Language::requirements || kind.language == Language::dockerfile ||
         (kind.language == Language::yaml && has(kind.roles, FileRole::conda));
}

bool is_wanted(const TreeProofOptions& options, const std::string& path) {
  const auto matches = [&](const std::string& pattern) { return path_match(pattern, path); };
  if (path == ".accelport" || path.starts_with(".accelport/")) return false;
  if (!options.include.empty() && std::none_of(options.include.begin(), options.include.end(), matches)) return false;
  return std::none_of(options.exclude.begin(), options.exclude.end(), matches);
}

/// A tree before and after; the stages fill it in this order.
class TreeProver {
 public:
  TreeProver(const TreeProofOptions& options, const Catalog& catalog, const HelperTable& table, const Files& files,
             const Processes& processes)
      : options_(options), table_(table), files_(files), processes_(processes) {
    for (const Platform& platform : catalog.platforms) platforms_.push_back(&platform);
  }

  Result<TreeProof> run();

 private:
  Result<void> find_helpers();
  ProvenFile prove(const std::string& path, const std::optional<std::string>& before, bool& unchanged) const;
  void prove_python(const std::string& path, std::string_view before, std::string_view after, ProvenFile& out) const;
  static void set(Proof proof, ProvenFile& out);
  HelperModule helper_of(std::string_view path, std::string_view module) const;
  bool is_taken(std::string_view path, std::string_view name) const;
  bool takes(const std::string& importer, std::string_view module, std::string_view name) const;
  bool has_helper_name(std::string_view path) const;
  std::optional<std::string> shadowed(std::string_view path) const;
  std::optional<std::string> read(const std::string& path) const;

  const TreeProofOptions& options_;
  const HelperTable& table_;
  const Files& files_;
  const Processes& processes_;
  std::vector<const Platform*> platforms_;
  std::vector<std::string> paths_;
  std::map<std::string, std::set<std::string>, std::less<>> helpers_;  // by path: the functions
};

std::optional<std::string> TreeProver::read(const std::string& path) const {
  ByteBuffer buffer;
  if (!files_.read(join_path(options_.root, path), kMaxFileBytes, buffer)) return std::nullopt;
  return std::string(buffer.view());
}

bool TreeProver::has_helper_name(std::string_view path) const {
  const std::string_view name = name_of(path);
  return std::any_of(table_.names.begin(), table_.names.end(), [&](const std::string& n) { return name == n + ".py"; });
}

/// The helper's name, or torch, if a new file makes a module of that name: a package or compiled code comes before the
/// helper's own file, and any of them may stand before it on the path.
std::optional<std::string> TreeProver::shadowed(std::string_view path) const {
  std::string_view name = name_of(path);
  const std::string_view ending = name.substr(std::min(name.rfind('.'), name.size()));
  if (ending != ".py" && ending != ".pyc" && ending != ".so" && ending != ".pyd") return std::nullopt;
  if (name.starts_with("__init__.")) name = name_of(folder_of(path));
  const std::string module(name.substr(0, name.find('.')));
  const bool helper = std::find(table_.names.begin(), table_.names.end(), module) != table_.names.end();
  return helper || module == "torch" ? std::optional(module) : std::nullopt;
}

/// A file of the helper's name is the helper only if it is what the table gives now and was so, or not there, before.
Result<void> TreeProver::find_helpers() {
  std::vector<std::string> named;
  for (const std::string& path : paths_)
    if (has_helper_name(path)) named.push_back(path);
  if (named.empty()) return {};
  TRY(const auto before, read_revision(options_.root, options_.base, named, processes_));
  for (std::size_t i = 0; i < named.size(); ++i) {
    const auto after = read(named[i]);
    if (!after || (before[i] && !rendered_functions(table_, platforms_, *before[i]))) continue;
    if (auto functions = rendered_functions(table_, platforms_, *after)) helpers_[named[i]] = std::move(*functions);
  }
  return {};
}

/// The helper that `module`, written in the file at `path`, names.
HelperModule TreeProver::helper_of(std::string_view path, std::string_view module) const {
  const std::size_t dots = std::min(module.find_first_not_of('.'), module.size());
  std::string wanted(module.substr(dots));
  const bool dotted = wanted.find('.') != std::string::npos;
  std::replace(wanted.begin(), wanted.end(), '.', '/');
  wanted += ".py";
  if (dots > 0) {
    std::string_view folder = folder_of(path);
    for (std::size_t i = 1; i < dots; ++i) folder = folder_of(folder);
    const auto found = helpers_.find(folder.empty() ? wanted : std::string(folder) + "/" + wanted);
    return found == helpers_.end() ? HelperModule{} : HelperModule{true, &found->second};
  }
  for (const auto& [helper, functions] : helpers_) {
    if (helper != wanted && !helper.ends_with("/" + wanted)) continue;
    // A module without a package must lie in a folder around the one that imports it.
    const std::string_view root = folder_of(helper);
    const bool around = root.empty() || folder_of(path) == root || path.starts_with(std::string(root) + "/");
    if (dotted || around) return {true, &functions};
  }
  return {};
}

/// Whether the file at `importer` takes `name` from a module that ends in `module`.
bool TreeProver::takes(const std::string& importer, std::string_view module, std::string_view name) const {
  const auto bytes = read(importer);
  if (!bytes || bytes->find(name) == std::string::npos) return false;
  std::string padded = *bytes + std::string(kTextPadding, '\0');
  const DecodedText decoded = decode_text(std::string_view(padded).substr(0, bytes->size()), Language::python);
  if (decoded.encoding == Encoding::binary) return false;
  const PythonText source(decoded.text);
  const Bindings bindings(source, table_, [](std::string_view) { return HelperModule{}; });
  const auto fits = [&](const ImportItem& item) {
    if (!item.from || (!item.star && item.name != name)) return false;
    std::string_view folder = folder_of(importer);
    const std::size_t dots = std::min(item.module.find_first_not_of('.'), item.module.size());
    for (std::size_t i = 1; i < dots; ++i) folder = folder_of(folder);
    const std::string_view last = std::string_view(item.module).substr(item.module.rfind('.') + 1);
    return (last.empty() ? name_of(folder) : last) == module;
  };
  return std::any_of(bindings.imports().begin(), bindings.imports().end(), fits);
}

bool TreeProver::is_taken(std::string_view path, std::string_view name) const {
  return std::any_of(paths_.begin(), paths_.end(), [&](const std::string& other) {
    return other != path && other.ends_with(".py") && takes(other, module_of(path), name);
  });
}

void TreeProver::prove_python(const std::string& path, std::string_view before, std::string_view after,
                              ProvenFile& out) const {
  FileSurroundings around;
  around.is_helper = [&](std::string_view module) { return helper_of(path, module); };
  around.is_taken = [&](std::string_view name) { return is_taken(path, name); };
  set(prove_file(before, after, table_, around), out);
}

void TreeProver::set(Proof proof, ProvenFile& out) {
  out.status = proof.verdict == Proof::Verdict::identical   ? Status::identical
               : proof.verdict == Proof::Verdict::different ? Status::different
                                                            : Status::unreadable;
  out.differences = std::move(proof.differences);
}

ProvenFile TreeProver::prove(const std::string& path, const std::optional<std::string>& before, bool& unchanged) const {
  ProvenFile out{path, Status::added, {}};
  const auto info = files_.info(join_path(options_.root, path));
  if (!info || info->type != FileType::regular) {
    // Folders are other repositories, links point at what is compared in its own place.
    unchanged = !before || (info && info->type != FileType::regular);
    out.status = Status::removed;
    return out;
  }
  const auto after = read(path);
  if (!after) {
    out.status = Status::unreadable;
    out.differences.push_back({0, 0, "the file cannot be read"});
    return out;
  }
  unchanged = before == after;
  if (unchanged) return out;
  if (has_helper_name(path) && (!before || rendered_functions(table_, platforms_, *before))) {
    const bool helper = helpers_.find(path) != helpers_.end();
    out.status = helper ? Status::helper : Status::helper_edited;
    if (!helper) out.differences.push_back({0, 1, "this is not the helper as it is written by `port`"});
  } else if (before) {
    const Language language = file_kind(path, std::string_view(*after).substr(0, 4096)).language;
    if (language == Language::python) {
      prove_python(path, *before, *after, out);
    } else if (language == Language::shell) {
      set(prove_shell(*before, *after, is_settings(path), platforms_), out);
    } else {
      out.status = Status::text;
    }
  } else if (const auto module = shadowed(path)) {
    out.status = Status::different;
    out.differences.push_back({0, 1, fmt::format("a new module that may be imported as '{}'", *module)});
  } else if (is_beside(path, *after)) {
    out.status = Status::beside;
  }
  return out;
}

Result<TreeProof> TreeProver::run() {
  TRY(paths_, files_since(options_.root, options_.base, processes_));
  TRY_DO(find_helpers());
  std::vector<std::string> wanted;
  for (const std::string& path : paths_)
    if (is_wanted(options_, path)) wanted.push_back(path);
  TreeProof proof;
  proof.base = options_.base;
  for (std::size_t begin = 0; begin < wanted.size(); begin += kBatch) {
    const std::size_t end = std::min(begin + kBatch, wanted.size());
    const std::vector<std::string> batch(wanted.begin() + static_cast<std::ptrdiff_t>(begin),
                                         wanted.begin() + static_cast<std::ptrdiff_t>(end));
    TRY(const auto before, read_revision(options_.root, options_.base, batch, processes_));
    std::vector<std::pair<ProvenFile, bool>> results(batch.size());
    parallel_for(batch.size(), thread_count(options_.jobs),
                 [&](std::size_t i, int) { results[i].first = prove(batch[i], before[i], results[i].second); });
    for (auto& [file, unchanged] : results) {
      if (unchanged) ++proof.unchanged;
      if (!unchanged) proof.files.push_back(std::move(file));
    }
  }
  return proof;
}

}  // namespace

std::string_view to_string(ProvenFile::Status status) { return kStatuses[static_cast<std::size_t>(status)]; }

std::uint64_t TreeProof::count(Status status) const {
  return static_cast<std::uint64_t>(
      std::count_if(files.begin(), files.end(), [&](const ProvenFile& file) { return file.status == status; }));
}

bool TreeProof::is_identical() const {
  return std::all_of(files.begin(), files.end(), [](const ProvenFile& file) { return file.is_proven(); });
}

Result<TreeProof> prove_tree(const TreeProofOptions& options, const Catalog& catalog, const HelperTable& table,
                             const Files& files, const Processes& processes) {
  TRY(const FileInfo root, files.info(options.root));
  if (root.type != FileType::directory)
    return fail(Error::Kind::usage, "not a folder", options.root, "name the folder of a git work tree");
  if (!GitView::of(options.root, files, processes))
    return fail(Error::Kind::input, "there is no git work tree to compare with", options.root,
                "the original is read from git");
  return TreeProver(options, catalog, table, files, processes).run();
}

}  // namespace accelport
