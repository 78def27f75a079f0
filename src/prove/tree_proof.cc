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
#include "prove/notebook_proof.h"
#include "prove/shell_proof.h"
#include "prove/tree_modules.h"
#include "syntax/file_names.h"
#include "syntax/language.h"

namespace accelport {
namespace {

using Status = ProvenFile::Status;

/// Contents of a revision that are held at a time.
constexpr std::size_t kBatch = 512;
constexpr std::array<std::string_view, 9> kStatuses = {
    "identical", "different", "unreadable", "text", "removed", "added", "helper", "beside", "helper-edited"};

constexpr const char* kEditedHelper =
    "the helper is not as `port` writes it: changed by hand, or written by another version; nothing that uses it is "
    "proven";

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
      : options_(options),
        table_(table),
        files_(files),
        processes_(processes),
        modules_(table, [this](const std::string& path) { return read(path); }) {
    for (const Platform& platform : catalog.platforms) platforms_.push_back(&platform);
  }

  Result<TreeProof> run();

 private:
  Result<void> find_helpers();
  ProvenFile prove(const std::string& path, const std::optional<std::string>& before, bool& unchanged) const;
  void prove_python(const std::string& path, std::string_view before, std::string_view after, bool notebook,
                    ProvenFile& out) const;
  void check_added(TreeProof& proof) const;
  static void set(Proof proof, ProvenFile& out);
  std::optional<std::string> read(const std::string& path) const;

  const TreeProofOptions& options_;
  const HelperTable& table_;
  const Files& files_;
  const Processes& processes_;
  std::vector<const Platform*> platforms_;
  std::vector<std::string> paths_;
  TreeModules modules_;
};

std::optional<std::string> TreeProver::read(const std::string& path) const {
  ByteBuffer buffer;
  if (!files_.read(join_path(options_.root, path), kMaxFileBytes, buffer)) return std::nullopt;
  return std::string(buffer.view());
}

/// A file of the helper's name is the helper only if it is what the table gives now and was so, or not there, before.
Result<void> TreeProver::find_helpers() {
  std::vector<std::string> named;
  for (const std::string& path : paths_)
    if (modules_.has_helper_name(path)) named.push_back(path);
  std::map<std::string, std::set<std::string>, std::less<>> helpers;
  TRY(const auto before, read_revision(options_.root, options_.base, named, processes_));
  for (std::size_t i = 0; i < named.size(); ++i) {
    const auto after = read(named[i]);
    if (!after || (before[i] && !rendered_functions(table_, platforms_, *before[i]))) continue;
    if (auto functions = rendered_functions(table_, platforms_, *after)) helpers[named[i]] = std::move(*functions);
  }
  modules_.set(paths_, std::move(helpers));
  return {};
}

void TreeProver::prove_python(const std::string& path, std::string_view before, std::string_view after, bool notebook,
                              ProvenFile& out) const {
  std::set<std::string> doubts;
  FileSurroundings around;
  around.is_helper = [&](std::string_view module) {
    std::string doubt;
    const HelperModule found = modules_.helper_of(path, module, doubt);
    if (!doubt.empty()) doubts.insert(std::move(doubt));
    return found;
  };
  around.is_adapter = [&](std::string_view plug_in, std::string_view adapter) {
    return !modules_.has_module(plug_in) &&
           std::any_of(platforms_.begin(), platforms_.end(),
                       [&](const Platform* platform) { return platform->has_adapter(plug_in, adapter); });
  };
  around.is_packaged = [&](std::size_t dots) { return modules_.is_packaged(path, dots); };
  around.is_taken = [&](std::string_view name) { return modules_.is_taken(path, name); };
  set(notebook ? prove_notebook(before, after, table_, around) : prove_file(before, after, table_, around), out);
  if (const auto torch = modules_.torch_beside(path))
    doubts.insert(fmt::format("'torch' may be the module of {}, of which nothing is known", *torch));
  if (doubts.empty()) return;
  if (out.status == Status::identical) out.status = Status::different;
  for (const std::string& doubt : doubts) out.differences.insert(out.differences.begin(), {0, 1, doubt});
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
  if (modules_.has_helper_name(path) && (!before || rendered_functions(table_, platforms_, *before))) {
    const bool helper = modules_.is_helper_file(path);
    out.status = helper ? Status::helper : Status::helper_edited;
    if (!helper) out.differences.push_back({0, 1, kEditedHelper});
  } else if (before) {
    const Language language = file_kind(path, std::string_view(*after).substr(0, 4096)).language;
    if (language == Language::python || language == Language::notebook) {
      prove_python(path, *before, *after, language == Language::notebook, out);
    } else if (language == Language::shell) {
      set(prove_shell(*before, *after, is_settings(path), platforms_), out);
    } else {
      out.status = Status::text;
    }
  } else if (auto effect = modules_.effect_of_new(path)) {
    out.status = Status::different;
    out.differences.push_back({0, 1, std::move(*effect)});
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
  check_added(proof);
  return proof;
}

/// A new module may be imported in place of one that an old file names.
void TreeProver::check_added(TreeProof& proof) const {
  std::set<std::string> added;
  for (const ProvenFile& file : proof.files)
    if (file.status == Status::added) added.insert(file.path);
  for (ProvenFile& file : proof.files) {
    if (file.status != Status::added) continue;
    const auto importer = modules_.importer_of_new(file.path, added);
    if (!importer) continue;
    file.status = Status::different;
    file.differences.push_back({0, 1, fmt::format("a new module of a name that {} imports", *importer)});
  }
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
                "the original is read from git: outside git, `port --revert` gives it back, and `git init` with a "
                "commit in front of `port --write` makes it comparable");
  return TreeProver(options, catalog, table, files, processes).run();
}

}  // namespace accelport
