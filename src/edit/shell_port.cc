#include "edit/shell_port.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "edit/shell_commands.h"
#include "syntax/command_line.h"
#include "syntax/scan.h"
#include "syntax/shell_lexer.h"

namespace accelport {
namespace {

/// What may answer differently, or do something, each time that it is expanded.
constexpr std::string_view kUnsteady[] = {"$(", "`",      ":=",      "++",    "--",     "<(",
                                          ">(", "RANDOM", "SECONDS", "EPOCH", "BASHPID"};
constexpr std::string_view kLists[] = {"$@", "$*", "[@", "[*", "{@", "{*"};

/// Statements behind one that are looked at for the platform's variable.
constexpr std::size_t kNear = 4;
constexpr std::string_view kMonitor = "nvidia-smi";

struct Assignment {
  std::string_view name;
  bool adds = false;  // +=
  bool has_value = false;
  std::string_view value;  // as written
};

Assignment read_assignment(std::string_view word) {
  Assignment out;
  std::size_t size = 0;
  if (!is_assignment(word, size)) {
    out.name = word;
    return out;
  }
  out.name = word.substr(0, size);
  const std::size_t equals = word.find('=');
  out.adds = equals > size;
  out.has_value = true;
  out.value = word.substr(equals + 1);
  return out;
}

template <std::size_t N>
bool holds_any(std::string_view text, const std::string_view (&parts)[N]) {
  return std::any_of(std::begin(parts), std::end(parts),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

/// `${x=y}` and `$((i = 1))` set something too.
bool is_steady(std::string_view value) {
  return !holds_any(value, kUnsteady) &&
         (value.find("${") == std::string_view::npos || value.find('=') == std::string_view::npos) &&
         (value.find("$((") == std::string_view::npos || value.find('=') == std::string_view::npos);
}

class ShellPorter {
 public:
  ShellPorter(std::string_view text, const std::vector<ShellOccurrence>& occurrences,
              const std::vector<const Platform*>& platforms)
      : text_(text), occurrences_(occurrences), platforms_(platforms), commands_(shell_commands(text)) {}

  ShellPort run();
  ShellPort run_settings();

 private:
  /// The platforms' names for the variable that are not there yet, or the reason why there are none.
  struct Targets {
    std::vector<std::string_view> names;
    std::string problem;
  };

  Targets targets(const Assignment& assignment) const;
  bool assigns(const ShellCommand& command, std::string_view name) const;
  bool is_set_nearby(std::size_t command, std::string_view cuda, std::string_view name) const;
  std::string port(std::size_t i);
  std::string port_item(std::size_t i, std::size_t command, Span item);
  std::string port_unsteady(std::size_t i, const ShellCommand& command, Span item, const Targets& targets);
  std::string port_line(std::size_t i);
  bool is_set_in_text(std::string_view name, bool declared) const;
  std::optional<std::string> value_for(std::string_view from, std::string_view to, std::string_view value) const;
  bool is_asked_for(std::string_view name) const;
  bool is_measured(const Assignment& assignment) const;
  void add(std::size_t owner, std::uint32_t at, std::string text) {
    out_.edits.push_back({at, std::move(text), owner});
  }

  std::string_view text_;
  const std::vector<ShellOccurrence>& occurrences_;
  const std::vector<const Platform*>& platforms_;
  std::vector<ShellCommand> commands_;
  ShellPort out_;
};

ShellPorter::Targets ShellPorter::targets(const Assignment& assignment) const {
  Targets out;
  const bool literal = assignment.has_value && !assignment.adds &&
                       assignment.value.find('$') == std::string_view::npos &&
                       assignment.value.find('`') == std::string_view::npos;
  for (const Platform* platform : platforms_) {
    const Counterpart* counterpart = platform->find_counterpart("variable", assignment.name);
    if (counterpart == nullptr || counterpart->target.empty()) {
      out.problem = "no variable of " + platform->title + " is known that does the same";
    } else if (!counterpart->values || (literal && !counterpart->values->found_in(shell_value(assignment.value)))) {
      out.problem = "the value may mean something else in " + counterpart->target;
    } else if (std::find(out.names.begin(), out.names.end(), counterpart->target) == out.names.end()) {
      out.names.push_back(counterpart->target);
    }
  }
  return out;
}

bool ShellPorter::assigns(const ShellCommand& command, std::string_view name) const {
  return std::any_of(command.items.begin(), command.items.end(),
                     [&](Span item) { return read_assignment(slice(text_, item)).name == name; });
}

/// In the same statement, or in those of its kind beside it, up to the next one that sets the old variable.
bool ShellPorter::is_set_nearby(std::size_t number, std::string_view cuda, std::string_view name) const {
  const ShellForm form = commands_[number].form;
  if (assigns(commands_[number], name)) return true;
  if (form == ShellForm::prefix || form == ShellForm::environment) return false;
  const int depth = commands_[number].depth;
  const auto look = [&](std::size_t step, std::size_t limit) {
    for (std::size_t other = number + step; other < commands_.size() && limit > 0; other += step) {
      if (commands_[other].depth > depth) continue;
      if (commands_[other].form != form || assigns(commands_[other], cuda)) return false;
      if (assigns(commands_[other], name)) return true;
      --limit;
    }
    return false;
  };
  return look(static_cast<std::size_t>(-1), 1) || look(1, kNear);
}

/// Whether a statement gives the variable a value that is not its own old one.
bool ShellPorter::is_set_in_text(std::string_view name, bool declared) const {
  for (const ShellCommand& command : commands_) {
    if (command.form != ShellForm::bare && (!declared || command.form != ShellForm::declaration)) continue;
    for (const Span item : command.items) {
      const Assignment assignment = read_assignment(slice(text_, item));
      if (assignment.name == name && assignment.has_value && assignment.value.find(name) == std::string_view::npos)
        return true;
    }
  }
  return false;
}

/// Whether the text expands the variable somewhere else than in `NAME=${NAME:-…`.
bool ShellPorter::is_asked_for(std::string_view name) const {
  for (std::size_t at = text_.find(name); at != std::string_view::npos; at = text_.find(name, at + 1)) {
    if (at == 0 || std::string_view("${!#").find(text_[at - 1]) == std::string_view::npos) continue;
    std::string_view before = text_.substr(0, at);
    if (before.ends_with("${")) before.remove_suffix(2);
    if (before.ends_with('"')) before.remove_suffix(1);
    if (!before.ends_with(std::string(name) + "=")) return true;
  }
  return false;
}

/// Whether the value may come from NVIDIA's tool: another platform would be given an empty list, and so no card.
bool ShellPorter::is_measured(const Assignment& assignment) const {
  if (!assignment.has_value || text_.find(kMonitor) == std::string_view::npos) return false;
  std::string_view rest = assignment.value;
  if (rest.find('`') != std::string_view::npos) return true;
  for (std::size_t at = rest.find('$'); at != std::string_view::npos; at = rest.find('$')) {
    rest.remove_prefix(at + 1);
    if (rest.starts_with('{')) rest.remove_prefix(1);
    const bool own = rest.starts_with(std::string(assignment.name) + ":-");
    if (!own && (rest.empty() || !is_ascii_digit(rest.front()))) return true;
  }
  return false;
}

/// The value for the variable `to`, where that of `from` is `value`: a default for `from` is one for `to`. Empty if the
/// value is the old one of `from`, which may be another program's.
std::optional<std::string> ShellPorter::value_for(std::string_view from, std::string_view to,
                                                  std::string_view value) const {
  std::string out(value);
  for (const std::string_view by : {":-", "-"}) {
    const std::string old = "${" + std::string(from) + std::string(by), now = "${" + std::string(to) + std::string(by);
    for (std::size_t at = out.find(old); at != std::string::npos; at = out.find(old, at + now.size()))
      out.replace(at, old.size(), now);
  }
  if (out.find("$" + std::string(from)) == std::string::npos && out.find("${" + std::string(from)) == std::string::npos)
    return out;
  if (is_set_in_text(from, true)) return std::string(value);
  return std::nullopt;
}

/// A value that must not be worked out twice is taken from the variable that has it.
std::string ShellPorter::port_unsteady(std::size_t i, const ShellCommand& command, Span item, const Targets& targets) {
  const std::string value = "=\"$" + std::string(occurrences_[i].name) + "\"";
  if (command.form == ShellForm::bare) {
    std::string text;
    for (const std::string_view name : targets.names) text += " " + std::string(name) + value;
    add(i, item.end, std::move(text));
    return {};
  }
  if (command.form != ShellForm::declaration || !command.alone)
    return "its value is worked out by a command or changes something, which must not happen twice";
  const std::size_t newline = text_.find('\n');
  const std::string line =
      newline != std::string_view::npos && newline > 0 && text_[newline - 1] == '\r' ? "\r\n" : "\n";
  std::string text = line + std::string(slice(text_, {command.line_begin, command.head.begin})) +
                     std::string(slice(text_, command.head));
  for (const std::string_view name : targets.names) text += " " + std::string(name) + value;
  add(i, command.line_end, std::move(text));
  return {};
}

std::string ShellPorter::port_item(std::size_t i, std::size_t number, Span item) {
  const ShellCommand& command = commands_[number];
  const Assignment assignment = read_assignment(slice(text_, item));
  Targets wanted = targets(assignment);
  if (wanted.names.empty()) return wanted.problem;
  std::erase_if(wanted.names, [&](std::string_view name) { return is_set_nearby(number, assignment.name, name); });
  for (const std::string_view name : wanted.names)
    if (is_asked_for(name))
      return "the script asks for " + std::string(name) + " itself, so setting it may change its way";
  if (wanted.names.empty()) return {};
  if (!assignment.has_value && command.form == ShellForm::declaration && !is_set_in_text(assignment.name, false))
    return "handed on without being set here, so there is no value to take";
  if (item.end < text_.size() && std::string_view("<>(").find(text_[item.end]) != std::string_view::npos)
    return "its value is a place to fill in";
  if (is_measured(assignment))
    return "the script asks " + std::string(kMonitor) + " and the value may be its answer, which is empty elsewhere";
  const bool split = command.form == ShellForm::environment || command.form == ShellForm::declaration;
  if (split && holds_any(assignment.value, kLists)) return "its value may be several words";
  if (assignment.has_value && (assignment.adds || !is_steady(assignment.value)))
    return port_unsteady(i, command, item, wanted);
  std::string text;
  for (const std::string_view name : wanted.names) {
    text += " " + std::string(name);
    if (!assignment.has_value) continue;
    const auto value = value_for(assignment.name, name, assignment.value);
    if (!value) return "its value is made from its own old one, which a caller may have set for CUDA only";
    text += "=" + *value;
  }
  add(i, item.end, std::move(text));
  return {};
}

std::string ShellPorter::port(std::size_t i) {
  const Span span = occurrences_[i].span;
  for (std::size_t number = 0; number < commands_.size(); ++number)
    for (const Span item : commands_[number].items)
      if (item.begin == span.begin && read_assignment(slice(text_, item)).name == occurrences_[i].name)
        return port_item(i, number, item);
  return "stands where no shell sets it by itself: in a quoted text, a here-document, an option or a loop's head";
}

/// NAME=value as a line of its own.
std::string ShellPorter::port_line(std::size_t i) {
  const Span span = occurrences_[i].span;
  const std::size_t before = span.begin == 0 ? std::string_view::npos : text_.rfind('\n', span.begin - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  std::size_t end = std::min(text_.find('\n', span.begin), text_.size());
  if (end > begin && text_[end - 1] == '\r') --end;
  std::string_view line = text_.substr(begin, end - begin);
  const std::string_view head = line.substr(0, span.begin - begin);
  const Assignment assignment = read_assignment(line.substr(head.size()));
  const bool plain = head.empty() || head == "export ";
  if (!plain || !assignment.has_value || assignment.adds || assignment.name != occurrences_[i].name ||
      assignment.value.find_first_of("$`#\\") != std::string_view::npos ||
      std::count(assignment.value.begin(), assignment.value.end(), '"') % 2 != 0 ||
      std::count(assignment.value.begin(), assignment.value.end(), '\'') % 2 != 0)
    return "a line of settings that is not NAME=value alone";
  Targets wanted = targets(assignment);
  if (wanted.names.empty()) return wanted.problem;
  std::erase_if(wanted.names, [&](std::string_view name) {
    const std::string needle = "\n" + std::string(name) + "=";
    return text_.starts_with(needle.substr(1)) || text_.find(needle) != std::string_view::npos ||
           text_.find("export " + needle.substr(1)) != std::string_view::npos;
  });
  for (const std::string_view name : wanted.names)
    if (is_asked_for(name)) return "the settings ask for " + std::string(name) + " themselves";
  const std::string newline = text_.substr(end, 2) == "\r\n" ? "\r\n" : "\n";
  std::string text;
  for (const std::string_view name : wanted.names)
    text += newline + std::string(head) + std::string(name) + "=" + std::string(assignment.value);
  if (!text.empty()) add(i, static_cast<std::uint32_t>(end), std::move(text));
  return {};
}

ShellPort ShellPorter::run() {
  const bool damaged = ShellLexer(text_, {0, static_cast<std::uint32_t>(text_.size())}).damage() > 0;
  for (std::size_t i = 0; i < occurrences_.size(); ++i)
    out_.left.push_back(damaged ? "the script could not be read to its end (an open quote or bracket)" : port(i));
  std::stable_sort(out_.edits.begin(), out_.edits.end(),
                   [](const ShellEdit& a, const ShellEdit& b) { return a.at < b.at; });
  return std::move(out_);
}

ShellPort ShellPorter::run_settings() {
  for (std::size_t i = 0; i < occurrences_.size(); ++i) out_.left.push_back(port_line(i));
  return std::move(out_);
}

/// Files of lines NAME=value; .envrc is a script.
bool is_settings_file(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.ends_with(".env") || name.starts_with(".env.");
}

bool is_other_shell(const FileDraft& draft) {
  const std::string_view path = draft.file->path;
  const std::string_view first = draft.decoded.text.substr(0, draft.decoded.text.find('\n'));
  return path.ends_with(".csh") || path.ends_with(".tcsh") || path.ends_with(".fish") ||
         (first.starts_with("#!") &&
          (first.find("csh") != std::string_view::npos || first.find("fish") != std::string_view::npos));
}

}  // namespace

ShellPort port_shell(std::string_view text, bool settings, const std::vector<ShellOccurrence>& occurrences,
                     const std::vector<const Platform*>& platforms) {
  ShellPorter porter(text, occurrences, platforms);
  return settings ? porter.run_settings() : porter.run();
}

bool is_shell_rewrite(const AuditedFile& file, const Occurrence& occurrence) {
  return occurrence.counterpart && file.kind.language == Language::shell;
}

FilePort port_shell_file(const std::string& root, const Files& files, const std::vector<const Platform*>& platforms,
                         FileDraft& draft) {
  FilePort out;
  read_bytes(root, files, draft);
  if (draft.problem.empty() && draft.decoded.transcoded) draft.problem = "in an encoding in which nothing is added";
  if (draft.problem.empty() && is_other_shell(draft))
    draft.problem = "a shell of another kind, whose scripts are not edited";
  out.left.assign(draft.wanted.size(), draft.problem);
  if (!draft.problem.empty()) return out;
  std::vector<ShellOccurrence> occurrences;
  for (const Wanted& wanted : draft.wanted)
    occurrences.push_back({wanted.occurrence->span, std::string_view(wanted.occurrence->api).substr(4)});
  ShellPort port = port_shell(draft.decoded.text, is_settings_file(draft.file->path), occurrences, platforms);
  out.left = std::move(port.left);
  for (ShellEdit& edit : port.edits) {
    const std::uint32_t at = draft.decoded.to_bytes(edit.at);
    out.change.edits.push_back({{at, at}, std::move(edit.text), {draft.wanted[edit.owner].occurrence->id}, {}});
  }
  out.change.path = draft.file->path;
  if (out.change.edits.empty()) return out;
  out.change.before = draft.view();
  out.change.after = apply_edits(out.change.before, out.change.edits);
  return out;
}

}  // namespace accelport
