#include "edit/plan.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "audit/decide.h"
#include "base/parallel.h"
#include "edit/beside.h"
#include "edit/configured_values.h"
#include "edit/file_port.h"
#include "edit/helper_module.h"
#include "edit/shell_port.h"

namespace accelport {
namespace {

constexpr const char* kHelperStyle = "helper";
constexpr std::uint64_t kMaxProjectFile = 4 << 20;

class Planner {
 public:
  Planner(const Audit& audit, const Catalog& catalog, const PlanOptions& options, const Files& files,
          const HelperTable& table, const BesideTable& beside)
      : audit_(audit),
        options_(options),
        files_(files),
        table_(table),
        modules_(options.root, files, table, known(catalog), options.force),
        configured_(table),
        beside_(options, files, beside) {}

  Plan run();

 private:
  static std::vector<const Platform*> known(const Catalog& catalog);
  void choose();
  bool is_selected(const AuditedFile& file, const Occurrence& occurrence) const;
  void choose_in(const AuditedFile& file);
  std::string helper_of(const Occurrence& occurrence) const;
  std::string reason_to_leave(const AuditedFile& file, const Occurrence& occurrence) const;
  void leave(const AuditedFile& file, const Occurrence& occurrence, std::string reason);
  void leave_all(const FileDraft& draft, const std::string& reason);
  void read();
  void name_helpers();
  void port();
  void port_shells();
  void finish(const FileDraft& draft, const HelperFile& helper, FilePort& port);
  bool allows_old_python() const;
  void advise();

  struct Target {
    HelperPlace place;
    const HelperFile* helper = nullptr;
  };

  const Audit& audit_;
  const PlanOptions& options_;
  const Files& files_;
  const HelperTable& table_;
  HelperModules modules_;
  ConfiguredValues configured_;
  BesideFiles beside_;
  std::vector<std::unique_ptr<FileDraft>> drafts_;
  std::vector<Target> targets_;  // by draft
  std::vector<std::unique_ptr<FileDraft>> shells_;
  std::map<std::string, std::string> movers_;
  std::set<std::string> taken_names_;
  std::set<std::string> used_;     // functions of the helper
  std::set<std::string> folders_;  // that need one
  std::set<std::string> own_;      // helpers of ours that the audit has read
  Plan plan_;
};

std::vector<const Platform*> Planner::known(const Catalog& catalog) {
  std::vector<const Platform*> platforms;
  for (const Platform& platform : catalog.platforms) platforms.push_back(&platform);
  return platforms;
}

bool is_to_change(const Occurrence& o) {
  return !o.installed &&
         (o.decision == Decision::abstract || o.decision == Decision::replace || o.decision == Decision::fallback);
}

std::string folder_of_helper(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

/// The name must be one that `prove` knows a helper by, and the folder must be there.
Result<void> choose_helper(const PlanOptions& options, const Files& files, HelperTable& table) {
  std::string names;
  for (const std::string& name : table.names) names += (names.empty() ? "" : " or ") + name + ".py";
  const std::string file = options.helper.substr(options.helper.rfind('/') + 1);
  std::erase_if(table.names, [&](const std::string& name) { return file != name + ".py"; });
  if (table.names.empty())
    return fail(Error::Kind::data, fmt::format("the helper module cannot be called '{}'", file), options.helper_at,
                "call it " + names);
  const std::string folder = folder_of_helper(options.helper);
  const auto info = files.info(join_path(options.root, folder));
  if (folder.empty() || (info && info->type == FileType::directory)) return {};
  return fail(Error::Kind::data, fmt::format("there is no folder '{}' for the helper module", folder),
              options.helper_at, "make it, or name another one");
}

bool is_outside(std::string_view path) {
  return path.starts_with('/') || path.starts_with("../") || path.find("/../") != std::string_view::npos;
}

bool Planner::is_selected(const AuditedFile& file, const Occurrence& occurrence) const {
  if (options_.chosen && options_.chosen->count(occurrence.id) == 0) return false;
  if (options_.only.empty()) return true;
  return std::any_of(options_.only.begin(), options_.only.end(), [&](const std::string& only) {
    return only == occurrence.id || only == to_string(occurrence.category) || path_match(only, file.path) ||
           file.path.starts_with(only.ends_with('/') ? only : only + "/");
  });
}

/// The helper's function that the rule names; a person's decision to change something means the rule's usual one.
std::string Planner::helper_of(const Occurrence& occurrence) const {
  if (!occurrence.helper.empty() || occurrence.decided_by.empty() || occurrence.rule == nullptr)
    return occurrence.helper;
  return occurrence.rule->outcomes.back().helper;
}

std::string Planner::reason_to_leave(const AuditedFile& file, const Occurrence& occurrence) const {
  if (has(file.kind.roles, FileRole::vendored)) return "other people's source, kept here";
  if (has(file.kind.roles, FileRole::generated)) return "generated by a program";
  if (occurrence.category == Category::docs_metadata) return "text for people, who must say what is true on both";
  switch (file.kind.language) {
    case Language::python:
    case Language::notebook:
      return "no edit is sure to leave CUDA as it is: " + occurrence.reason;
    case Language::shell:
      if (occurrence.text.starts_with('$')) return "only read here, and CUDA's variable keeps its value";
      return "shell scripts get the platform's variables beside CUDA's, and nothing else is edited: " +
             occurrence.reason;
    case Language::cxx:
      return "C++ and device sources are converted to a tree of their own, not edited";
    default:
      return fmt::format("not edited in a file of this kind ({}): a person must change it or put one beside it",
                         to_string(file.kind.language));
  }
}

void Planner::leave(const AuditedFile& file, const Occurrence& occurrence, std::string reason) {
  if (occurrence.rule == nullptr && !occurrence.reader.empty()) return;  // the value that it reads is reported
  plan_.unchanged.push_back({file.path, occurrence.id, occurrence.line, occurrence.category, occurrence.decision,
                             occurrence.text, std::move(reason)});
}

void Planner::leave_all(const FileDraft& draft, const std::string& reason) {
  for (const Wanted& wanted : draft.wanted) leave(*draft.file, *wanted.occurrence, reason);
}

void Planner::choose_in(const AuditedFile& file) {
  auto draft = std::make_unique<FileDraft>();
  auto shell = std::make_unique<FileDraft>();
  draft->file = shell->file = &file;
  std::set<std::string> groups;  // a group is selected as a whole
  for (const Occurrence& occurrence : file.occurrences)
    if (is_to_change(occurrence) && !occurrence.group.empty() && is_selected(file, occurrence))
      groups.insert(occurrence.group);
  bool defines_move = false;
  for (const Occurrence& occurrence : file.occurrences) {
    defines_move = defines_move || occurrence.text == "cuda";
    if (!is_to_change(occurrence)) continue;
    if (!is_selected(file, occurrence) && groups.count(occurrence.group) == 0) continue;
    if (is_shell_rewrite(file, occurrence) && !is_outside(file.path)) {
      shell->wanted.push_back({&occurrence, nullptr});
      continue;
    }
    if (ConfiguredValues::is_configured(file, occurrence) && !is_outside(file.path)) {
      configured_.add(file, occurrence);
      continue;
    }
    const HelperFunction* function = table_.find(helper_of(occurrence));
    const bool python = file.kind.language == Language::python || file.kind.language == Language::notebook;
    if (!python || function == nullptr || is_outside(file.path)) {
      leave(file, occurrence, is_outside(file.path) ? "outside of the tree" : reason_to_leave(file, occurrence));
    } else {
      draft->wanted.push_back({&occurrence, function});
    }
  }
  if (!draft->wanted.empty() || (defines_move && file.kind.language == Language::python))
    drafts_.push_back(std::move(draft));
  if (!shell->wanted.empty()) shells_.push_back(std::move(shell));
}

void Planner::choose() {
  for (const AuditedFile& file : audit_.files) {
    if (!file.package.empty()) continue;
    const bool beside = BesideFiles::takes(file) && !is_outside(file.path);
    const auto selected = [&](const Occurrence& o) { return is_selected(file, o); };
    if ((beside || BesideFiles::proposes(file)) &&
        std::any_of(file.occurrences.begin(), file.occurrences.end(), selected))
      beside_.add(file);
    if (!beside) choose_in(file);
  }
  configured_.add_drafts(audit_, drafts_);
}

void Planner::read() {
  parallel_for(drafts_.size(), thread_count(options_.jobs), [&](std::size_t i, int) {
    FileDraft& draft = *drafts_[i];
    if (!configured_.empty()) configured_.read(options_.root, files_, draft);
    if (!draft.extra || !draft.uses.empty()) read_draft(options_.root, files_, table_.names, draft);
  });
  std::erase_if(drafts_, [&](const std::unique_ptr<FileDraft>& draft) {
    const bool own = modules_.is_helper(draft->view());
    if (own) own_.insert(draft->file->path);
    return own;
  });
  std::erase_if(drafts_, [&](const auto& draft) { return !configured_.attach(*draft) && draft->extra; });
  std::erase_if(plan_.unchanged, [&](const Unchanged& u) { return own_.count(u.path) != 0; });
  for (const auto& draft : drafts_) {
    movers_.insert(draft->movers.begin(), draft->movers.end());
    taken_names_.insert(draft->own_names.begin(), draft->own_names.end());
  }
}

/// Names are chosen by folder: one that any of its files uses for something else is no name for the helper.
void Planner::name_helpers() {
  std::vector<ImportFacts> facts;
  for (const auto& draft : drafts_) facts.push_back(draft->facts);
  const ImportRoots roots(options_.root, files_, facts);
  std::map<std::string, std::vector<const FileDraft*>> by_folder;
  for (const auto& draft : drafts_) {
    Target target;
    if (draft->problem.empty() && roots.is_settings(draft->facts))
      draft->problem = "a settings file: the program that executes it decides what it can import";
    if (draft->problem.empty() && !draft->wanted.empty() && !options_.helper.empty()) {
      const auto place = roots.place_at(folder_of_helper(options_.helper), draft->facts);
      if (!place) draft->problem = "it is not sure that this file can import " + options_.helper + " (accelport.toml)";
      if (place) target.place = *place;
    } else if (draft->problem.empty() && !draft->wanted.empty()) {
      target.place = roots.place(draft->facts);
    }
    if (draft->problem.empty() && !draft->wanted.empty()) {
      by_folder[target.place.folder].push_back(draft.get());
    }
    targets_.push_back(std::move(target));
  }
  for (std::size_t i = 0; i < drafts_.size(); ++i) {
    if (!drafts_[i]->problem.empty() || drafts_[i]->wanted.empty()) continue;
    const std::vector<const FileDraft*>& users = by_folder[targets_[i].place.folder];
    targets_[i].helper = &modules_.choose(targets_[i].place.folder, [&](const std::string& name, bool exists) {
      return std::any_of(users.begin(), users.end(), [&](const FileDraft* user) {
        return user->taken.count(name) != 0 || (!exists && user->imported.count(name) != 0);
      });
    });
  }
}

/// Whether the repository says that it runs on a Python below 3.9.
bool Planner::allows_old_python() const {
  for (const char* name : {"pyproject.toml", "setup.cfg", "setup.py"}) {
    ByteBuffer bytes;
    if (!files_.read(join_path(options_.root, name), kMaxProjectFile, bytes)) continue;
    for (const std::string_view key : {"requires-python", "python_requires"}) {
      const std::size_t at = bytes.view().find(key);
      if (at == std::string_view::npos) continue;
      const std::string_view rest = bytes.view().substr(at + key.size(), 24);
      const std::size_t version = rest.find("3.");
      if (version == std::string_view::npos || version + 2 >= rest.size()) continue;
      const char minor = rest[version + 2];
      const bool two_digits = version + 3 < rest.size() && is_ascii_digit(rest[version + 3]);
      if (is_ascii_digit(minor) && !two_digits && minor < '9') return true;
    }
  }
  return false;
}

void Planner::finish(const FileDraft& draft, const HelperFile& helper, FilePort& port) {
  if (helper.by_hand &&
      !std::includes(helper.functions.begin(), helper.functions.end(), port.functions.begin(), port.functions.end()))
    return leave_all(draft, helper.path + " has been changed by hand and lacks a function that this needs");
  for (std::size_t i = 0; i < port.left.size(); ++i)
    if (!port.left[i].empty()) leave(*draft.file, *draft.wanted[i].occurrence, port.left[i]);
  if (port.change.edits.empty()) return;
  configured_.note(draft, port);
  used_.insert(port.functions.begin(), port.functions.end());
  if (!port.functions.empty())
    folders_.insert(helper.path.substr(0, helper.path.size() - std::min(helper.path.size(), helper.name.size() + 4)));
  plan_.changes.push_back(std::move(port.change));
}

void Planner::port() {
  const TreeContext tree{table_, options_.platforms, allows_old_python(), movers_, taken_names_};
  std::vector<FilePort> ports(drafts_.size());
  const auto is_ported = [&](std::size_t i) {
    return targets_[i].helper != nullptr && !targets_[i].helper->name.empty();
  };
  parallel_for(drafts_.size(), thread_count(options_.jobs), [&](std::size_t i, int) {
    if (!is_ported(i)) return;
    const std::string& name = targets_[i].helper->name;
    ports[i] = port_file(*drafts_[i], tree, name, targets_[i].place);
  });
  for (std::size_t i = 0; i < drafts_.size(); ++i) {
    if (is_ported(i)) {
      finish(*drafts_[i], *targets_[i].helper, ports[i]);
    } else {
      const std::string taken = "every name that the helper module could have is taken";
      leave_all(*drafts_[i], drafts_[i]->problem.empty() ? taken : drafts_[i]->problem);
    }
  }
}

void Planner::port_shells() {
  std::vector<FilePort> ports(shells_.size());
  parallel_for(shells_.size(), thread_count(options_.jobs), [&](std::size_t i, int) {
    ports[i] = port_shell_file(options_.root, files_, options_.platforms, *shells_[i]);
  });
  for (std::size_t i = 0; i < shells_.size(); ++i) {
    for (std::size_t k = 0; k < ports[i].left.size(); ++k)
      if (!ports[i].left[k].empty()) leave(*shells_[i]->file, *shells_[i]->wanted[k].occurrence, ports[i].left[k]);
    if (!ports[i].change.edits.empty()) plan_.changes.push_back(std::move(ports[i].change));
  }
}

void Planner::advise() {
  std::map<std::string, std::size_t> by_kind;
  for (const AuditedFile& file : audit_.files) {
    if (!file.package.empty() || own_.count(file.path) != 0) continue;
    const Language language = file.kind.language;
    if (language == Language::python || language == Language::notebook || BesideFiles::takes(file)) continue;
    for (const Occurrence& o : file.occurrences)
      if (is_to_change(o) && !is_shell_rewrite(file, o) && !ConfiguredValues::is_configured(file, o) &&
          o.category != Category::docs_metadata && is_selected(file, o))
        ++by_kind[std::string(to_string(language))];
  }
  for (const auto& [kind, count] : by_kind)
    plan_.advice.push_back(
        {fmt::format(
             "{} {} in files of the kind {} {}: a person must change them or put files for the platform beside them.",
             count, count == 1 ? "place" : "places", kind, count == 1 ? "stays" : "stay"),
         {},
         0,
         {}});
}

Plan Planner::run() {
  choose();
  read();
  name_helpers();
  port();
  port_shells();
  configured_.finish(plan_);
  std::set<std::string> folders;
  for (std::string folder : folders_) {
    while (folder.ends_with('/')) folder.pop_back();
    folders.insert(std::move(folder));
  }
  for (FileChange& change : modules_.changes(folders, used_, options_.platforms))
    plan_.changes.push_back(std::move(change));
  beside_.finish(plan_);
  std::sort(plan_.changes.begin(), plan_.changes.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  std::stable_sort(plan_.unchanged.begin(), plan_.unchanged.end(),
                   [](const auto& a, const auto& b) { return a.path != b.path ? a.path < b.path : a.line < b.line; });
  advise();
  return std::move(plan_);
}

}  // namespace

Result<Plan> plan_port(const Audit& audit, const Catalog& catalog, const PlanOptions& options, const Files& files) {
  if (options.style != kHelperStyle)
    return fail(Error::Kind::usage, "there is no style '" + options.style + "' yet", {}, "helper is the one there is");
  if (options.platforms.empty()) return fail(Error::Kind::usage, "no platform to port to", {}, "name one with --to");
  TRY(HelperTable table, embedded_helper_table());
  if (!options.helper.empty()) TRY_DO(choose_helper(options, files, table));
  TRY(const BesideTable beside, embedded_beside_table());
  return Planner(audit, catalog, options, files, table, beside).run();
}

}  // namespace accelport
