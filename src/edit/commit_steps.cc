#include "edit/commit_steps.h"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "base/text.h"
#include "edit/edit_units.h"

namespace accelport {
namespace {

constexpr std::size_t kSubject = 72, kWidth = 72;
constexpr std::size_t kNamed = 30;  // files, or reasons, that a message names

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

/// `text` in lines of at most kWidth columns where blanks allow it; lines begin with `indent` blanks, the first one
/// with what stands there already.
std::string wrapped_text(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  while (!(text = trim(text)).empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    if (!out.empty() && column + 1 + word.size() > kWidth) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + "\n";
}

/// The platforms' titles, or "3 platforms" where they have no room.
std::string platform_phrase(const Audit& audit, std::size_t room) {
  std::string names;
  for (std::size_t i = 0; i < audit.platforms.size(); ++i)
    names += (i == 0 ? "" : i + 1 == audit.platforms.size() ? " and " : ", ") + audit.platforms[i]->title;
  return names.size() <= room ? names : counted(audit.platforms.size(), "platform");
}

std::string subject_for(std::string_view begin, const Audit& audit, std::string_view end) {
  const std::size_t used = begin.size() + end.size();
  return fmt::format("{}{}{}\n\n", begin, platform_phrase(audit, kSubject - std::min(used, kSubject)), end);
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

class Steps {
 public:
  Steps(const Plan& plan, const Audit& audit, const std::vector<std::string>& helper_names)
      : plan_(plan), audit_(audit), index_(audit), helper_names_(helper_names), units_(edit_units(plan, audit)) {}

  std::vector<CommitStep> run();

 private:
  static constexpr int kNever = kCategories;

  bool is_helper(const FileChange& change) const;
  bool mentions(const Edit& edit, std::string_view before, std::string_view behind) const;
  void rank();
  bool pull_imports();
  CommitStep helper_step() const;
  CommitStep category_step(Category category, int rank) const;
  CommitStep beside_step() const;
  std::string after(std::size_t change, int rank) const;
  std::string reasons(const std::vector<std::string>& ids) const;
  template <typename Wanted>
  std::vector<const FileChange*> whole_files(Wanted wanted) const;

  const Plan& plan_;
  const Audit& audit_;
  OccurrenceIndex index_;
  const std::vector<std::string>& helper_names_;
  std::vector<EditUnit> units_;
  std::vector<int> unit_rank_;
  std::vector<std::vector<int>> edit_rank_;  // by change and edit
};

bool Steps::is_helper(const FileChange& change) const {
  const std::string_view name = file_name(change.path);
  return std::all_of(change.edits.begin(), change.edits.end(), [](const Edit& e) { return e.ids.empty(); }) &&
         std::any_of(helper_names_.begin(), helper_names_.end(),
                     [&](const std::string& helper) { return name == helper + ".py"; });
}

/// Whether the edit writes a helper's name between these words, whatever the encoding.
bool Steps::mentions(const Edit& edit, std::string_view before, std::string_view behind) const {
  std::string text = edit.text;
  text.erase(std::remove(text.begin(), text.end(), '\0'), text.end());
  return std::any_of(helper_names_.begin(), helper_names_.end(), [&](const std::string& name) {
    return text.find(std::string(before) + name + std::string(behind)) != std::string::npos;
  });
}

/// An import of the helper that took the place of another statement comes as early as the first edit of its file that
/// uses the helper. True if a unit moved.
bool Steps::pull_imports() {
  bool moved = false;
  for (std::size_t u = 0; u < units_.size(); ++u)
    for (const EditUnit::Place& place : units_[u].places) {
      const FileChange& change = plan_.changes[place.change];
      if (!mentions(change.edits[place.edit], "import ", "")) continue;
      for (std::size_t e = 0; e < change.edits.size(); ++e) {
        const int needed = edit_rank_[place.change][e];
        if (needed >= unit_rank_[u] || !mentions(change.edits[e], "", ".")) continue;
        unit_rank_[u] = needed;
        moved = true;
      }
    }
  return moved;
}

void Steps::rank() {
  for (const FileChange& change : plan_.changes) edit_rank_.emplace_back(change.edits.size(), kNever);
  for (const EditUnit& unit : units_) unit_rank_.push_back(static_cast<int>(unit.category));
  do {
    for (std::size_t u = 0; u < units_.size(); ++u)
      for (const EditUnit::Place& place : units_[u].places) edit_rank_[place.change][place.edit] = unit_rank_[u];
  } while (pull_imports());
  for (std::size_t c = 0; c < plan_.changes.size(); ++c) {
    const auto& edits = plan_.changes[c].edits;
    if (edits.empty()) continue;
    const int first = *std::min_element(edit_rank_[c].begin(), edit_rank_[c].end());
    for (std::size_t e = 0; e < edits.size(); ++e)
      if (edits[e].ids.empty()) edit_rank_[c][e] = first;
  }
}

/// The file with the edits of all steps up to this one.
std::string Steps::after(std::size_t change, int rank) const {
  std::vector<Edit> made;
  for (std::size_t e = 0; e < plan_.changes[change].edits.size(); ++e)
    if (edit_rank_[change][e] <= rank) made.push_back(plan_.changes[change].edits[e]);
  return apply_edits(plan_.changes[change].before, made);
}

template <typename Wanted>
std::vector<const FileChange*> Steps::whole_files(Wanted wanted) const {
  std::vector<const FileChange*> found;
  for (const FileChange& change : plan_.changes)
    if (wanted(change)) found.push_back(&change);
  return found;
}

CommitStep Steps::helper_step() const {
  CommitStep step;
  const auto files = whole_files([&](const FileChange& change) { return is_helper(change); });
  if (files.empty()) return step;
  const bool created = files.front()->created;
  const std::string name = escape_for_display(file_name(files.front()->path));
  step.message = subject_for(fmt::format("{} {} for ", created ? "Add" : "Extend", name), audit_, "");
  step.message += wrapped_text(
      fmt::format("It answers which accelerator a program runs on, for CUDA and {}. The commits behind this one ask it "
                  "where the code has named CUDA so far; nothing uses {} yet.",
                  platform_phrase(audit_, std::string::npos), created ? "it" : "what is new in it"),
      0);
  step.message += "\n" +
                  wrapped_text(
                      "CUDA is unchanged: where NVIDIA's card is used, and where there is no "
                      "accelerator, every function gives what plain CUDA code has in its place.",
                      0) +
                  "\n";
  for (const FileChange* change : files) {
    step.message += "  " + escape_for_display(change->path) + "\n";
    step.files.push_back({change->path, change->after});
  }
  return step;
}

/// Every reason once, the most frequent first.
std::string Steps::reasons(const std::vector<std::string>& ids) const {
  std::map<std::string, std::pair<std::size_t, std::string>> by_rule;
  for (const std::string& id : ids) {
    const Occurrence* occurrence = index_.find(id);
    if (occurrence == nullptr) continue;
    auto& [count, reason] = by_rule[occurrence->rule == nullptr ? occurrence->reason : occurrence->rule->id];
    if (count++ == 0) reason = occurrence->reason;
  }
  std::vector<std::pair<std::size_t, std::string>> rows;
  for (auto& [rule, row] : by_rule) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(rows.size(), kNamed); ++i)
    text += "- " + wrapped_text(fmt::format("{} ({})", escape_for_display(rows[i].second), rows[i].first), 2);
  return text;
}

CommitStep Steps::category_step(Category category, int rank) const {
  CommitStep step;
  std::vector<std::string> ids;
  std::string files;
  for (std::size_t c = 0; c < plan_.changes.size(); ++c) {
    const FileChange& change = plan_.changes[c];
    std::size_t places = 0;
    for (std::size_t e = 0; e < change.edits.size(); ++e) {
      if (edit_rank_[c][e] != rank) continue;
      places += !change.edits[e].ids.empty();
      for (const std::string& id : change.edits[e].ids)
        if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    }
    if (places == 0) continue;
    step.files.push_back({change.path, after(c, rank)});
    if (step.files.size() <= kNamed) files += fmt::format("  {}: {}\n", escape_for_display(change.path), places);
  }
  if (step.files.size() > kNamed) files += fmt::format("  and {} more\n", step.files.size() - kNamed);
  step.message = subject_for(fmt::format("Port {} to ", to_string(category)), audit_, "; CUDA as before");
  step.message += wrapped_text(fmt::format("{} in {} no longer {} CUDA. Edits by file:", counted(ids.size(), "place"),
                                           counted(step.files.size(), "file"), ids.size() == 1 ? "names" : "name"),
                               0);
  step.message += files;
  step.message += "\n" + wrapped_text(
                             "CUDA is unchanged: where NVIDIA's card is used, and where there is no "
                             "accelerator, each new expression has the value of the one that it replaces. "
                             "`accelport prove . --base` with the revision in front of the port checks it.",
                             0);
  step.message += "\nWhy:\n" + reasons(ids);
  return step;
}

CommitStep Steps::beside_step() const {
  CommitStep step;
  const auto files = whole_files([&](const FileChange& change) {
    const bool silent =
        std::all_of(change.edits.begin(), change.edits.end(), [](const Edit& e) { return e.ids.empty(); });
    return silent && !is_helper(change);
  });
  if (files.empty()) return step;
  step.message = subject_for("Add what ", audit_, " needs beside the files for CUDA");
  step.message +=
      wrapped_text(fmt::format("{}; the ones for CUDA stay as they are.", counted(files.size(), "file")), 0);
  for (const FileChange* change : files) {
    step.message += "  " + escape_for_display(change->path) + "\n";
    step.files.push_back({change->path, change->after});
  }
  return step;
}

std::vector<CommitStep> Steps::run() {
  rank();
  std::vector<CommitStep> steps = {helper_step()};
  for (int category = 0; category < kCategories; ++category)
    steps.push_back(category_step(static_cast<Category>(category), category));
  steps.push_back(beside_step());
  std::erase_if(steps, [](const CommitStep& step) { return step.files.empty(); });
  return steps;
}

}  // namespace

std::vector<CommitStep> commit_steps(const Plan& plan, const Audit& audit,
                                     const std::vector<std::string>& helper_names) {
  return Steps(plan, audit, helper_names).run();
}

}  // namespace accelport
