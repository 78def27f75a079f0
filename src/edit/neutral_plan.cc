#include "edit/neutral_plan.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "edit/file_port.h"
#include "edit/helper_module.h"
#include "edit/rewrite.h"
#include "edit/selection.h"
#include "edit/torch_range.h"

namespace accelport {
namespace {

/// What becomes of one occurrence.
struct Place {
  const Occurrence* occurrence = nullptr;
  const NeutralFunction* function = nullptr;
  std::string left;
  Span span;  // replaced
  std::string text;
  std::size_t question = SIZE_MAX;  // the place that answers before this literal counts
  bool harmless = false;            // left, and does nothing on another accelerator
};

class NeutralFile {
 public:
  NeutralFile(const NeutralTable& table, FileDraft& draft, TorchVersion oldest)
      : table_(table), draft_(draft), oldest_(oldest), source_(draft.decoded.text) {}

  std::vector<Place> places;
  FileChange run();

 private:
  void read(Place& place);
  void read_call(Place& place, std::uint32_t token);
  void read_literal(Place& place, std::uint32_t token);
  std::string version_problem(std::string_view since) const;
  void bind_literals();
  void hold_questions();
  void leave(Place& place, std::string reason) { place.left = std::move(reason); }

  const NeutralTable& table_;
  FileDraft& draft_;
  TorchVersion oldest_;
  PythonSource source_;
};

std::string NeutralFile::version_problem(std::string_view since) const {
  if (!oldest_.known())
    return fmt::format("needs torch {} or newer, and no requirement of the repository has a lower bound for torch",
                       since);
  if (oldest_.reaches(parse_torch_version(since))) return {};
  return fmt::format("needs torch {} or newer, and the repository allows {}.{}", since, oldest_.major, oldest_.minor);
}

/// ROOT.cuda.NAME(…) becomes ROOT.accelerator.…(…), where ROOT is torch under whatever name.
void NeutralFile::read_call(Place& place, std::uint32_t token) {
  const std::string& api = place.occurrence->api;
  place.function = table_.find(api);
  const NeutralRest* rest = table_.find_rest(api);
  place.harmless = rest != nullptr && rest->harmless;
  const std::uint32_t first = source_.mark(token).first, last = source_.mark(token).last;
  if (place.function == nullptr)
    return leave(place, rest != nullptr ? rest->reason : "torch has no neutral name that is surely the same on CUDA");
  if (std::string problem = version_problem(place.function->since); !problem.empty()) return leave(place, problem);
  if (last != first + 4 || source_.text_of(first + 2) != "cuda")
    return leave(place, "reached through a name that is imported from torch.cuda");
  std::vector<CallArgument> arguments;
  if (!source_.lexed.is_op(last + 1, '(') || !source_.arguments(last + 1, arguments))
    return leave(place, "the function is handed on, not called");
  const bool plain = std::all_of(arguments.begin(), arguments.end(),
                                 [](const CallArgument& a) { return a.keyword.empty() && !a.star; });
  if (!plain || arguments.size() > static_cast<std::size_t>(place.function->arguments))
    return leave(place, place.function->neutral + " does not take these arguments");
  place.span = {source_.token(first + 2).begin, source_.token(last).end};
  const std::string_view between = slice(source_.text, place.span);
  if (between.find_first_of(" \t\r\n\\#") != std::string_view::npos)
    return leave(place, "written over several lines or with blanks");
  place.text = place.function->neutral.substr(std::string_view("torch.").size());
}

/// "cuda" in `"cuda" if torch.cuda.is_available() else …`: only there it is sure that there is an accelerator.
void NeutralFile::read_literal(Place& place, std::uint32_t token) {
  const std::string_view text = source_.text_of(token);
  if (text != "\"cuda\"" && text != "'cuda'")
    return leave(place, place.occurrence->category == Category::distributed
                            ? "torch has no neutral word for a back end in every torch that the repository allows"
                            : "more than the device type, or a name that torch.accelerator does not give");
  const std::uint32_t first = token + 2, last = first + 4;
  const bool conditional = last + 3 < source_.lexed.tokens.size() && source_.text_of(token + 1) == "if" &&
                           source_.text_of(last) == "is_available" && source_.text_of(last + 3) == "else";
  if (!conditional)
    return leave(place,
                 "torch.accelerator has no device type on a machine without an accelerator, and this may run there");
  if (std::string problem = version_problem(table_.since); !problem.empty()) return leave(place, problem);
  place.span = {source_.token(token).begin, source_.token(token).end};
  place.text = std::string(source_.text_of(first)) + table_.device_type.substr(table_.device_type.find('.'));
  const std::uint32_t at = source_.token(first).begin;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i].occurrence->span.begin == at) place.question = i;
  if (place.question == SIZE_MAX) leave(place, "the question in front of it stays");
}

void NeutralFile::read(Place& place) {
  const Occurrence& occurrence = *place.occurrence;
  const std::uint32_t token = source_.token_at(occurrence.span.begin);
  if (token == kNoToken || !slice(source_.text, occurrence.span).starts_with(occurrence.text.substr(0, 32)))
    return leave(place, "not found as a part of the program");
  if (Rewrite rewrite = place_rewrite(source_, token); !rewrite.left.empty()) return leave(place, rewrite.left);
  if (source_.import_at(token) != nullptr) return leave(place, "an import out of torch.cuda, which other lines use");
  if (source_.token(token).kind != PyKind::name) return read_literal(place, token);
  const std::uint32_t last = source_.mark(token).last;
  if (source_.text_of(last) == "cuda" && source_.lexed.is_op(last + 1, '('))
    return leave(place, "cuda() refuses every other device, and to() with what torch.accelerator gives does not");
  if (!is_cuda_path(occurrence.api)) return leave(place, "torch has no neutral form that is surely the same on CUDA");
  read_call(place, token);
}

/// A literal changes with the question in front of it, and the question with its literal.
void NeutralFile::bind_literals() {
  for (Place& place : places) {
    if (place.question == SIZE_MAX) continue;
    Place& question = places[place.question];
    if (question.left.empty() && !place.left.empty()) question.left = "changes together with its device, which stays";
    if (!question.left.empty() && place.left.empty()) place.left = "the question in front of it stays";
  }
}

/// Whether there is an accelerator must not be answered yes for what can use CUDA only.
void NeutralFile::hold_questions() {
  const auto needs_cuda = std::find_if(places.begin(), places.end(), [](const Place& p) {
    const bool question = p.function != nullptr && p.function->question;
    return !p.left.empty() && !p.harmless && !question && p.question == SIZE_MAX;
  });
  if (needs_cuda == places.end()) return;
  for (Place& place : places)
    if (place.left.empty() && place.function != nullptr && place.function->question)
      place.left = fmt::format("line {} stays, which needs CUDA where this answers yes", needs_cuda->occurrence->line);
}

FileChange NeutralFile::run() {
  for (Place& place : places)
    if (place.left.empty()) read(place);
  bind_literals();
  hold_questions();
  bind_literals();
  FileChange change;
  change.path = draft_.file->path;
  for (const Place& place : places) {
    if (!place.left.empty()) continue;
    Edit edit;
    edit.span = {draft_.decoded.to_bytes(place.span.begin), draft_.decoded.to_bytes(place.span.end)};
    edit.text = place.text;
    edit.ids = {place.occurrence->id};
    edit.group = place.occurrence->group;
    change.edits.push_back(std::move(edit));
  }
  std::sort(change.edits.begin(), change.edits.end(),
            [](const Edit& a, const Edit& b) { return a.span.begin < b.span.begin; });
  if (change.edits.empty()) return change;
  change.before = draft_.view();
  change.after = apply_edits(change.before, change.edits);
  return change;
}

std::string file_reason(const AuditedFile& file, const FileDraft& draft) {
  if (is_outside(file.path)) return "outside of the tree";
  if (file.kind.language != Language::python)
    return fmt::format("only Python programs change in this style, and this is a file of the kind {}",
                       to_string(file.kind.language));
  if (!draft.problem.empty()) return draft.problem;
  return draft.decoded.transcoded ? "its characters are not written in this style" : std::string();
}

void leave(const AuditedFile& file, const Occurrence& o, std::string reason, Plan& plan) {
  plan.unchanged.push_back({file.path, o.id, o.line, o.category, o.decision, o.text, std::move(reason)});
}

/// What a person must add where no place could change for want of a lower bound.
void advise(Plan& plan, const NeutralTable& table, std::size_t without_bound) {
  if (without_bound == 0) return;
  const bool one = without_bound == 1;
  std::string text = fmt::format(
      "{} {} in a folder whose requirements give torch no lower bound: write one (torch>={}) if every older torch may "
      "go, and run again.",
      without_bound, one ? "program stands" : "programs stand", table.since);
  plan.advice.push_back({std::move(text), {}, 0, {}});
}

}  // namespace

Result<Plan> plan_neutral(const Audit& audit, const PlanOptions& options, const HelperTable& table,
                          const Files& files) {
  Plan plan;
  plan.style = options.style;
  std::size_t without_bound = 0;
  TorchRange range(options.root, files);
  const HelperModules modules(options.root, files, table, {});
  for (const AuditedFile& file : audit.files) {
    if (!file.package.empty()) continue;
    std::vector<const Occurrence*> wanted;
    for (const Occurrence& o : file.occurrences)
      if (is_to_change(o)) wanted.push_back(&o);
    if (wanted.empty()) continue;
    FileDraft draft;
    draft.file = &file;
    if (file.kind.language == Language::python && !is_outside(file.path)) read_bytes(options.root, files, draft);
    if (modules.is_helper(draft.view()))
      return fail(Error::Kind::usage, "the tree has been ported in the style 'helper'", file.path,
                  "take that port back with --revert first, or say --style helper");
    const std::string reason = file_reason(file, draft);
    if (!reason.empty()) {
      for (const Occurrence* o : wanted)
        if (is_selected(options, file, *o))
          leave(file, *o,
                o->category == Category::docs_metadata ? "text for people, who must say what is true on both" : reason,
                plan);
      continue;
    }
    const TorchVersion oldest = range.oldest_for(file.path);
    without_bound += !oldest.known();
    NeutralFile port(table.neutral, draft, oldest);
    for (const Occurrence* o : wanted) {
      port.places.emplace_back().occurrence = o;
      if (!is_selected(options, file, *o)) port.places.back().left = "not asked for";
    }
    FileChange change = port.run();
    for (const Place& place : port.places)
      if (!place.left.empty() && is_selected(options, file, *place.occurrence))
        leave(file, *place.occurrence, place.left, plan);
    if (!change.edits.empty()) plan.changes.push_back(std::move(change));
  }
  advise(plan, table.neutral, without_bound);
  return plan;
}

}  // namespace accelport
