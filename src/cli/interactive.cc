#include "cli/interactive.h"

#include <iostream>
#include <map>
#include <optional>

#include <unistd.h>

#include <fmt/core.h>

#include "audit/decide.h"
#include "cli/output.h"
#include "edit/decisions.h"
#include "edit/edit_units.h"
#include "report/explain.h"
#include "report/port.h"
#include "report/style.h"

namespace accelport {
namespace {

constexpr const char* kHelp =
    "y  make this edit\n"
    "n  leave it this time\n"
    "d  decide otherwise, with a reason: retain, unsupported or ignore; later runs obey\n"
    "e  explain why this is proposed\n"
    "a  make this edit and all that follow\n"
    "q  make what was answered with y so far, and leave the rest\n"
    "?  this help\n"
    "Nothing is written before the last answer; Ctrl-C leaves everything as it is.\n";

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

Result<std::string> answer_to(std::string_view question) {
  print(question);
  std::string line;
  if (!std::getline(std::cin, line))
    return fail(Error::Kind::input, "the input ended in front of the last answer", {}, "nothing was written");
  return std::string(trim(line));
}

class Interview {
 public:
  Interview(const Plan& plan, Audit& audit, const TextStyle& style)
      : plan_(plan), style_(style), units_(edit_units(plan, audit)) {
    for (AuditedFile& file : audit.files)
      for (Occurrence& occurrence : file.occurrences) subjects_[occurrence.id] = {&file, &occurrence};
  }

  Result<Answers> run();

 private:
  struct Subject {
    AuditedFile* file = nullptr;
    Occurrence* occurrence = nullptr;
  };

  void show(std::size_t number) const;
  void explain(const EditUnit& unit) const;
  Result<bool> ask(const EditUnit& unit, std::string_view prompt);
  Result<bool> decide(const EditUnit& unit);
  void want(const EditUnit& unit) { answers_.wanted.insert(unit.ids.begin(), unit.ids.end()); }

  const Plan& plan_;
  TextStyle style_;
  std::vector<EditUnit> units_;
  std::map<std::string, Subject> subjects_;
  Answers answers_;
  bool all_ = false, quit_ = false;
};

/// The unit's hunks, and why.
void Interview::show(std::size_t number) const {
  const EditUnit& unit = units_[number];
  for (std::size_t i = 0; i < unit.places.size(); ++i) {
    const FileChange& whole = plan_.changes[unit.places[i].change];
    if (i > 0 && unit.places[i].change == unit.places[i - 1].change) continue;
    FileChange part;
    part.path = whole.path;
    part.created = whole.created;
    part.before = whole.before;
    for (const EditUnit::Place& place : unit.places)
      if (place.change == unit.places[i].change) part.edits.push_back(whole.edits[place.edit]);
    part.after = apply_edits(part.before, part.edits);
    write_change_text(part, style_.colour, print);
  }
  std::string shown;
  for (const std::string& id : unit.ids) {
    const auto found = subjects_.find(id);
    if (found == subjects_.end() || found->second.occurrence->reason == shown) continue;
    shown = found->second.occurrence->reason;
    print(fmt::format("{}: {}\n", to_string(found->second.occurrence->category), escape_for_display(shown)));
  }
}

void Interview::explain(const EditUnit& unit) const {
  for (const std::string& id : unit.ids)
    if (const auto found = subjects_.find(id); found != subjects_.end())
      write_occurrence_text(*found->second.file, *found->second.occurrence, style_, print);
}

/// False if the person has come to no decision.
Result<bool> Interview::decide(const EditUnit& unit) {
  TRY(const std::string word, answer_to("decision (retain, unsupported, ignore; empty: back): "));
  if (word.empty()) return false;
  const auto decision = parse_decision(word);
  if (!decision ||
      (*decision != Decision::retain && *decision != Decision::unsupported && *decision != Decision::ignore)) {
    print(fmt::format("'{}' is none of retain, unsupported, ignore\n", escape_for_display(word)));
    return false;
  }
  TRY(const std::string reason, answer_to("reason: "));
  if (reason.empty()) {
    print("a decision needs a reason\n");
    return false;
  }
  if (!is_utf8(reason)) {
    print("the reason must be UTF-8\n");
    return false;
  }
  for (const std::string& id : unit.ids) {
    const auto found = subjects_.find(id);
    if (found == subjects_.end()) continue;
    answers_.person_lines += person_line(*found->second.file, *found->second.occurrence, *decision, reason);
    override_decision(*decision, reason, "decisions.jsonl", *found->second.occurrence);
  }
  return true;
}

/// False if the question must be put again.
Result<bool> Interview::ask(const EditUnit& unit, std::string_view prompt) {
  TRY(const std::string line, answer_to(prompt));
  const char letter = line.size() == 1 ? ascii_lower(line[0]) : '?';
  switch (letter) {
    case 'a':
      all_ = true;
      [[fallthrough]];
    case 'y':
      want(unit);
      return true;
    case 'n':
      answers_.left = true;
      return true;
    case 'q':
      quit_ = answers_.left = true;
      return true;
    case 'd':
      return decide(unit);
    case 'e':
      explain(unit);
      return false;
    default:
      print(kHelp);
      return false;
  }
}

Result<Answers> Interview::run() {
  for (std::size_t i = 0; i < units_.size() && !quit_; ++i) {
    if (all_) {
      want(units_[i]);
      continue;
    }
    show(i);
    const std::string prompt =
        Painter(style_.colour).bold(fmt::format("({}/{}) make this edit [y,n,d,e,a,q,?]? ", i + 1, units_.size()));
    for (bool answered = false; !answered;) {
      TRY(answered, ask(units_[i], prompt));
    }
    print("\n");
  }
  return std::move(answers_);
}

}  // namespace

Result<Answers> ask_about(const Plan& plan, Audit& audit, const TextStyle& style) {
  return Interview(plan, audit, style).run();
}

Result<void> check_terminal() {
  if (isatty(STDIN_FILENO) != 0 && output_is_terminal()) return {};
  return fail(Error::Kind::usage, "--interactive asks a person, and standard input or output is no terminal", {},
              "say --write, with --only for a part");
}

}  // namespace accelport
