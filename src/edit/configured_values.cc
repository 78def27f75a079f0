#include "edit/configured_values.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

namespace accelport {
namespace {

/// Stands for the ids of a key's values until the edits are known.
constexpr std::string_view kMark = "configured:";

constexpr std::string_view kTextReason = "text for people, who must say what is true on both";

constexpr std::string_view kNoReader =
    "no program of the tree was found that hands this value to torch, so nobody maps it: a person must change it or "
    "put a file for the platform beside it";

/// A key or option with the helper's function that maps its value.
struct Setting {
  std::string key;
  std::string function;
};

bool is_device(std::string_view value) { return value == "cuda" || value.starts_with("cuda:"); }

std::string_view unquoted(std::string_view word) {
  while (!word.empty() && std::string_view("\"'`,.)").find(word.back()) != std::string_view::npos)
    word.remove_suffix(1);
  while (!word.empty() && std::string_view("\"'`(").find(word.front()) != std::string_view::npos) word.remove_prefix(1);
  return word;
}

/// `--device cuda` or `--device=cuda` in a line of a document.
Setting documented(std::string_view line) {
  std::string_view option;
  while (!(line = trim(line)).empty()) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view word = unquoted(line.substr(0, end));
    line.remove_prefix(end);
    const std::size_t equals = std::min(word.find('='), word.size());
    if (word.starts_with('-')) option = word.substr(0, equals);
    const std::string_view value = unquoted(equals < word.size() ? word.substr(equals + 1) : word);
    if (!option.empty() && is_device(value)) return {configured_name(option), "configured_device"};
    if (!option.empty() && value == "nccl") return {configured_name(option), "configured_backend"};
    if (!word.starts_with('-') || equals < word.size()) option = {};
  }
  return {};
}

/// What a value belongs to. Of a document's line that is known if the option's value is all that it has of CUDA.
Setting setting_of(const AuditedFile& file, const Occurrence& occurrence) {
  const Language language = file.kind.language;
  if (language == Language::python || language == Language::notebook) return {};
  if (occurrence.category != Category::docs_metadata) return {configured_name(occurrence.key), occurrence.reader};
  return occurrence.hits == 1 ? documented(occurrence.text) : Setting{};
}

}  // namespace

bool ConfiguredValues::is_configured(const AuditedFile& file, const Occurrence& occurrence) {
  return !setting_of(file, occurrence).function.empty();
}

void ConfiguredValues::add(const AuditedFile& file, const Occurrence& occurrence) {
  Setting setting = setting_of(file, occurrence);
  if (!setting.key.empty()) keys_[setting.key].insert(setting.function);
  values_.push_back({&file, &occurrence, std::move(setting.key)});
}

void ConfiguredValues::add_drafts(const Audit& audit, std::vector<std::unique_ptr<FileDraft>>& drafts) {
  if (keys_.empty()) return;
  std::set<std::string_view> there;
  for (const auto& draft : drafts) there.insert(draft->file->path);
  const auto add_draft = [&](const AuditedFile& file) {
    drafts.push_back(std::make_unique<FileDraft>());
    drafts.back()->file = &file;
    drafts.back()->extra = true;
    there.insert(file.path);
  };
  for (const AuditedFile& file : audit.files)
    if (file.kind.language == Language::python && file.package.empty() && there.count(file.path) == 0) add_draft(file);
  for (const std::string& path : audit.scanned_paths) {
    if (!path.ends_with(".py") || there.count(path) != 0) continue;
    AuditedFile file;
    file.path = path;
    file.kind = file_kind(path, {});
    files_.push_back(std::move(file));
    add_draft(files_.back());
  }
  std::sort(drafts.begin(), drafts.end(), [](const auto& a, const auto& b) { return a->file->path < b->file->path; });
}

void ConfiguredValues::read(const std::string& root, const Files& files, FileDraft& draft) const {
  draft.facts.path = draft.file->path;
  read_bytes(root, files, draft);
  const bool read = std::any_of(keys_.begin(), keys_.end(), [&](const auto& key) {
    return draft.decoded.text.find(key.first) != std::string_view::npos;
  });
  if (read) find_readers(keys_, draft);
}

bool ConfiguredValues::attach(FileDraft& draft) {
  for (const ConfiguredUse& use : draft.uses)
    if (use.mapped) readers_.emplace(use.key, draft.file->path);
  for (Occurrence& reader : draft.readers) {
    reader.id = std::string(kMark) + reader.key;
    draft.wanted.push_back({&reader, table_.find(reader.reader)});
  }
  std::stable_sort(draft.wanted.begin(), draft.wanted.end(), [](const Wanted& a, const Wanted& b) {
    return a.occurrence->span.begin < b.occurrence->span.begin;
  });
  return !draft.uses.empty();
}

void ConfiguredValues::note(const FileDraft& draft, FilePort& port) {
  for (std::size_t i = 0; i < draft.wanted.size() && i < port.left.size(); ++i) {
    const Occurrence& reader = *draft.wanted[i].occurrence;
    if (reader.key.empty() || !port.left[i].empty()) continue;
    readers_.emplace(reader.key, fmt::format("{}:{}", draft.file->path, reader.line));
  }
  for (Edit& edit : port.change.edits) {
    if (edit.ids.empty() || !edit.ids.front().starts_with(kMark)) continue;
    const std::string key = edit.ids.front().substr(kMark.size());
    edit.group = std::string(kMark) + key;
    edit.ids.clear();
    for (const Value& value : values_)
      if (value.key == key) edit.ids.push_back(value.occurrence->id);
  }
}

void ConfiguredValues::finish(Plan& plan) const {
  std::map<std::string, std::size_t> counts;
  for (const Value& value : values_) {
    const Occurrence& o = *value.occurrence;
    const auto reader = readers_.find(value.key);
    if (reader != readers_.end()) {
      plan.mapped.push_back({value.file->path, o.id, o.line, reader->second});
      ++counts[value.key];
    } else {
      plan.unchanged.push_back({value.file->path, o.id, o.line, o.category, o.decision, o.text,
                                std::string(o.category == Category::docs_metadata ? kTextReason : kNoReader)});
    }
  }
  for (const auto& [key, count] : counts)
    plan.advice.push_back(
        {fmt::format("{} {} of '{}' in configurations, command lines and documents {}: the reader maps {} ({}).", count,
                     count == 1 ? "value" : "values", key, count == 1 ? "stays" : "stay", count == 1 ? "it" : "them",
                     readers_.find(key)->second),
         {},
         0,
         {}});
}

}  // namespace accelport
