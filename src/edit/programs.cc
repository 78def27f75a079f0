#include "edit/programs.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "edit/selection.h"
#include "syntax/file_names.h"
#include "syntax/language.h"

namespace accelport {
namespace {

constexpr std::string_view kInit = "__init__.py";

std::string_view stem_of(std::string_view path) {
  const std::string_view name = name_of(path);
  return name.substr(0, name.rfind('.'));
}

/// The parts of all module paths and names that `source` imports.
std::set<std::string, std::less<>> imported_words(const PythonSource& source) {
  std::set<std::string, std::less<>> words;
  for (const ImportStatement& statement : source.imports)
    for (const ImportedName& name : statement.names)
      for (std::size_t at = 0; at < name.path.size();) {
        const std::size_t dot = std::min(name.path.find('.', at), name.path.size());
        if (dot > at) words.insert(name.path.substr(at, dot - at));
        at = dot + 1;
      }
  return words;
}

bool asks_for_main(const PythonSource& source) {
  const std::uint32_t name = source.lexed.names.find("__name__");
  if (name == 0) return false;
  for (std::uint32_t t = source.lexed.names.first(name); t != kNoToken; t = source.token(t).next) {
    const std::uint32_t line = source.annotator.line_of(t);
    if (source.parent[line] != kNone || source.token(source.lexed.lines[line].first).word() != PyWord::if_) continue;
    const PyLine& header = source.lexed.lines[line];
    if (source.text_of(header.first, header.last - 1).find("__main__") != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::string_view ProgramFile::word() const {
  const std::string& path = draft.file->path;
  return name_of(path) == kInit ? name_of(folder_of(path)) : stem_of(path);
}

void Programs::add(const AuditedFile& file) {
  if (!file.package.empty() || file.kind.language != Language::python || is_outside(file.path)) return;
  if (name_of(file.path) == kInit) packages_.emplace(folder_of(file.path));
  if (has(file.kind.roles, FileRole::vendored) || has(file.kind.roles, FileRole::generated)) return;
  files_.push_back(std::make_unique<ProgramFile>());
  files_.back()->draft.file = &file;
  files_.back()->reaches = std::any_of(file.occurrences.begin(), file.occurrences.end(), is_to_change);
}

Programs::Programs(const Audit& audit, const PlanOptions& options, const Files& files) {
  std::set<std::string_view> known;
  for (const AuditedFile& file : audit.files) {
    known.insert(file.path);
    add(file);
  }
  for (const std::string& path : audit.scanned_paths) {
    if (!path.ends_with(".py") || known.count(path) != 0) continue;
    plain_.emplace_back();
    plain_.back().path = path;
    plain_.back().kind = file_kind(path, {});
    add(plain_.back());
  }
  parallel_for(files_.size(), thread_count(options.jobs), [&](std::size_t i, int) {
    ProgramFile& file = *files_[i];
    read_bytes(options.root, files, file.draft);
    if (!file.draft.problem.empty()) return;
    file.source = std::make_unique<PythonSource>(file.draft.decoded.text);
    file.guarded = asks_for_main(*file.source);
  });
  follow_imports();
}

void Programs::follow_imports() {
  std::vector<std::pair<ProgramFile*, std::set<std::string, std::less<>>>> open;
  std::set<std::string_view> reaching;
  for (const auto& file : files_) {
    if (file->reaches) reaching.insert(file->word());
    if (file->source == nullptr) continue;
    open.emplace_back(file.get(), imported_words(*file->source));
    imported_.insert(open.back().second.begin(), open.back().second.end());
  }
  for (bool more = true; more;) {
    more = false;
    for (auto& [file, words] : open) {
      if (file->reaches ||
          std::none_of(words.begin(), words.end(), [&](const auto& word) { return reaching.count(word) != 0; }))
        continue;
      file->reaches = more = true;
      reaching.insert(file->word());
    }
  }
}

/// A file that says so, or a script that nothing imports; if it has something for the adapter.
bool Programs::is_program(const ProgramFile& file) const {
  if (file.source == nullptr || file.source->python2 || !file.reaches) return false;
  const std::string& path = file.draft.file->path;
  if (file.guarded || name_of(path) == "__main__.py") return true;
  const bool script = packages_.count(folder_of(path)) == 0 && imported_.count(stem_of(path)) == 0;
  return script && std::any_of(file.draft.file->occurrences.begin(), file.draft.file->occurrences.end(), is_to_change);
}

}  // namespace accelport
