#include "edit/families.h"

#include <algorithm>

#include <fmt/core.h>

#include "edit/branches.h"

namespace accelport {
namespace {

constexpr std::string_view kHasBranch = "the platform has a branch of its own in this file";
constexpr std::size_t kNamedLines = 8;

std::string at_line(const Occurrence& o, std::string_view reason) {
  const bool filled = reason.find('{') == std::string_view::npos;
  return fmt::format("line {} stays ({})", o.line, filled ? reason : "no edit is sure to leave CUDA as it is");
}

/// Why the branch that holds the occurrence cannot serve another platform.
std::string problem_with(const Occurrence& o, const HelperTable& table) {
  if (o.branch != nullptr) return table.find(o.branch->helper) != nullptr ? "" : at_line(o, o.branch->reason);
  if (!o.decided_by.empty() && (o.decision == Decision::retain || o.decision == Decision::ignore))
    return at_line(o, "a person has decided so");
  if (o.decision == Decision::ignore) return {};
  if (o.category == Category::kernel_arch) return at_line(o, "it is about NVIDIA's architectures");
  const bool unported = o.decision == Decision::fallback && table.find(o.helper) == nullptr;
  const bool packages = o.category == Category::nvidia_only || o.category == Category::package_extension;
  return packages || unported || o.decision == Decision::unsupported ? at_line(o, o.reason) : std::string();
}

bool is_read(const AuditedFile& file) {
  return file.kind.language == Language::python || file.kind.language == Language::notebook;
}

}  // namespace

bool Families::is_member(const AuditedFile& file, const Occurrence& o) {
  return is_read(file) && o.branch != nullptr && o.family != Site::kNoFamily && !o.installed;
}

bool Families::matters(const AuditedFile& file) {
  return is_read(file) && std::any_of(file.occurrences.begin(), file.occurrences.end(),
                                      [](const Occurrence& o) { return o.family != Site::kNoFamily && !o.installed; });
}

void Families::find_problems(FileDraft& draft) const {
  std::map<BranchFacts::Place, BranchFacts::Family>& families = draft.branches.families;
  for (const Occurrence& o : draft.file->occurrences) {
    const auto found = families.find({o.cell, o.family});
    if (o.family == Site::kNoFamily || o.installed || found == families.end()) continue;
    if (std::string problem = problem_with(o, table_); !problem.empty()) found->second.problem = std::move(problem);
  }
}

std::string Families::problem_of(const FileDraft& draft) {
  std::size_t members = 0;
  for (const auto& [place, family] : draft.branches.families) {
    if (family.served) return std::string(kHasBranch);
    members += family.members;
  }
  for (const auto& [place, family] : draft.branches.families)
    if (family.members > 0 && !family.problem.empty()) return family.problem;
  const auto chosen = std::count_if(draft.wanted.begin(), draft.wanted.end(),
                                    [](const Wanted& wanted) { return wanted.occurrence->branch != nullptr; });
  return static_cast<std::size_t>(chosen) == members ? "" : "not all of it was selected";
}

/// One run of Families::settle.
struct Families::State {
  const Families& families;
  std::vector<std::unique_ptr<FileDraft>>& drafts;
  const std::vector<FilePort>& ports;
  const std::vector<bool>& is_ported;
  std::vector<std::string> problems;  // by draft: why its branches stay
  std::set<std::size_t> again;
  std::size_t kept = 0;                                                          // occurrences that stay since this run
  std::map<const Occurrence*, std::pair<std::size_t, std::size_t>> wanted = {};  // by draft and number

  /// Why the occurrence stays as far as is known now, or "".
  std::string reason(std::size_t draft, std::size_t i) const {
    if (!is_ported[draft]) return "nothing in the file changes";
    if (const Wanted& wanted = drafts[draft]->wanted[i]; !wanted.stays.empty()) return wanted.stays;
    return ports.empty() || i >= ports[draft].left.size() ? std::string() : ports[draft].left[i];
  }

  void stay(std::size_t draft, std::size_t i, const std::string& why) {
    if (!reason(draft, i).empty()) return;
    drafts[draft]->wanted[i].stays = why;
    again.insert(draft);
    ++kept;
    if (drafts[draft]->wanted[i].occurrence->branch != nullptr && problems[draft].empty()) leave(draft, why);
  }

  void leave(std::size_t draft, const std::string& why) {
    problems[draft] = why;
    for (std::size_t i = 0; i < drafts[draft]->wanted.size(); ++i)
      if (drafts[draft]->wanted[i].occurrence->branch != nullptr) stay(draft, i, why);
  }

  /// `name` and all that it takes its answer from.
  std::set<std::string> meanings(const std::string& name, std::size_t asking) const {
    std::set<std::string> all;
    std::vector<std::string> open{name, local_name(name, drafts[asking]->file->path)};
    while (!open.empty()) {
      const std::string next = open.back();
      open.pop_back();
      if (!all.insert(next).second) continue;
      for (const auto& draft : drafts)
        if (const auto found = draft->branches.stand_ins.find(next); found != draft->branches.stand_ins.end())
          open.insert(open.end(), found->second.begin(), found->second.end());
    }
    return all;
  }

  /// Places that give `name` its answer: drafts and numbers of what they want.
  std::vector<std::pair<std::size_t, std::size_t>> sources(const std::string& name, std::size_t asking) const {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (const std::string& meaning : meanings(name, asking))
      for (const auto& draft : drafts)
        if (const auto answers = draft->branches.answers.find(meaning); answers != draft->branches.answers.end())
          for (const Occurrence* o : answers->second)
            if (const auto at = wanted.find(o); at != wanted.end()) found.push_back(at->second);
    return found;
  }

  bool answers(const std::string& name, std::size_t asking) const {
    const auto all = sources(name, asking);
    return std::any_of(all.begin(), all.end(), [&](const auto& at) { return reason(at.first, at.second).empty(); });
  }

  bool changes(const Occurrence* o) const {
    const auto found = wanted.find(o);
    return found != wanted.end() && reason(found->second.first, found->second.second).empty();
  }

  /// Whether definitions of this name in the tree change, and nothing in them is left for CUDA only.
  bool is_ported_as_a_whole(const std::string& name) const {
    bool some = false;
    for (const auto& draft : drafts) {
      const auto body = draft->branches.bodies.find(name);
      if (body == draft->branches.bodies.end()) continue;
      for (const Occurrence* o : body->second) {
        const bool changed = changes(o);
        if (!changed && (o->decision != Decision::retain || !problem_with(*o, families.table_).empty())) return false;
        some = some || changed;
      }
    }
    return some;
  }

  /// What gives `name` its answer stays, since the branches of `draft` do.
  void keep(const std::string& name, std::size_t draft, std::uint32_t line) {
    const std::string why =
        fmt::format("{}:{} chooses a branch for CUDA by it, and that branch stays", drafts[draft]->file->path, line);
    for (const auto& [d, i] : sources(name, draft)) stay(d, i, why);
  }

  void find_problems() {
    for (std::size_t d = 0; d < drafts.size(); ++d) {
      const FileDraft& draft = *drafts[d];
      if (draft.branches.families.empty()) continue;
      families.find_problems(*drafts[d]);
      if (std::string problem = problem_of(draft); !problem.empty()) {
        leave(d, problem);
        continue;
      }
      for (std::size_t i = 0; i < draft.wanted.size() && problems[d].empty(); ++i)
        if (draft.wanted[i].occurrence->branch != nullptr)
          if (const std::string why = reason(d, i); !why.empty())
            leave(d, draft.wanted[i].stays.empty() && is_ported[d] ? at_line(*draft.wanted[i].occurrence, why) : why);
    }
  }

  bool spread() {
    const std::size_t before = kept;
    bool more = false;
    for (std::size_t d = 0; d < drafts.size(); ++d) {
      for (const auto& [name, place, line, truth] : drafts[d]->branches.asked) {
        BranchFacts::Family& family = drafts[d]->branches.families[place];
        const bool fits = truth ? answers(name, d) : is_ported_as_a_whole(name);
        if (!fits && family.problem.empty()) {
          family.problem = truth ? fmt::format("line {} asks `{}`, which does not answer for the platform", line, name)
                                 : fmt::format("line {} calls `{}`, which may be for CUDA only", line, name);
          more = true;
        }
        if (problems[d].empty() && family.members > 0 && !family.problem.empty()) leave(d, family.problem);
        if (truth && (!problems[d].empty() || !family.problem.empty())) keep(name, d, line);
      }
    }
    return more || kept != before;
  }
};

std::vector<std::size_t> Families::settle(std::vector<std::unique_ptr<FileDraft>>& drafts,
                                          const std::vector<FilePort>& ports, const std::vector<bool>& is_ported) {
  State state{*this, drafts, ports, is_ported, std::vector<std::string>(drafts.size()), {}};
  for (std::size_t d = 0; d < drafts.size(); ++d)
    for (std::size_t i = 0; i < drafts[d]->wanted.size(); ++i) state.wanted[drafts[d]->wanted[i].occurrence] = {d, i};
  state.find_problems();
  while (state.spread()) {
  }
  return {state.again.begin(), state.again.end()};
}

void Families::leave(const FileDraft& draft, const Occurrence& o, const std::string& reason) {
  const BranchFacts::Place family{o.cell, o.family};
  const auto found = draft.branches.families.find(family);
  if (found != draft.branches.families.end() && found->second.served) return;
  Missing& missing = missing_[draft.file->path];
  if (missing.families.insert(family).second) missing.lines.insert(o.line);
  if (missing.reason.empty()) missing.reason = reason;
}

void Families::finish(const std::vector<const Platform*>& platforms, Plan& plan) const {
  std::string titles;
  for (const Platform* platform : platforms) titles += (titles.empty() ? "" : " and ") + platform->title;
  for (const auto& [path, missing] : missing_) {
    std::string lines;
    std::size_t count = 0;
    for (const std::uint32_t line : missing.lines)
      if (++count <= kNamedLines) lines += fmt::format("{}{}", count == 1 ? "" : ", ", line);
    if (count > kNamedLines) lines += fmt::format(" and {} more", count - kNamedLines);
    plan.advice.push_back(
        {fmt::format(
             "{}:{}: branches by accelerator have none for {}, and {} for CUDA cannot serve it: {}. A person must "
             "write {}.",
             path, lines, titles, count == 1 ? "that" : "those", missing.reason,
             count == 1 ? "the missing branch" : "the missing branches"),
         path,
         *missing.lines.begin(),
         {}});
  }
}

}  // namespace accelport
