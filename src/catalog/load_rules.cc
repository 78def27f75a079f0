#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "catalog/condition.h"
#include "catalog/fields.h"
#include "catalog/load.h"
#include "catalog/toml.h"

namespace accelport {
namespace {

using namespace std::string_view_literals;

constexpr std::array kGroups{"torch"sv, "strings"sv, "packages"sv, "environment"sv, "shell"sv,   "files"sv,
                             "build"sv, "cxx"sv,     "docs"sv,     "own"sv,         "practice"sv};
constexpr std::array kPlaceholders{"text"sv,   "api"sv,      "value"sv,         "keyword"sv,
                                   "callee"sv, "argument"sv, "first_argument"sv};
constexpr std::size_t kMinTrigger = 4;
constexpr std::size_t kMaxTrigger = 200;
constexpr int kMaxOrder = 99999;

template <typename Enum>
std::vector<std::string_view> names_of(Enum last) {
  std::vector<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) names.push_back(to_string(static_cast<Enum>(i)));
  return names;
}

bool is_rule_id(std::string_view id) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || is_ascii_digit(c) || c == '-'; };
  return !id.empty() && id.size() <= 64 && id.front() != '-' && id.back() != '-' &&
         std::all_of(id.begin(), id.end(), fits);
}

/// Splits "rules/GROUP/ID.toml".
void read_name(std::string_view path, Rule& rule, FieldErrors& errors) {
  const std::size_t id_at = path.rfind('/') + 1;
  std::string_view folder = path.substr(0, id_at == 0 ? 0 : id_at - 1);
  std::string_view id = path.substr(id_at);
  if (id.size() > 5) id.remove_suffix(5);
  rule.id = id;
  rule.group = folder.substr(folder.rfind('/') + 1);
  if (!is_rule_id(id)) {
    errors.add(1, fmt::format("'{}' is not a rule's name", escape_for_display(id)), "lower-case words joined with '-'");
  }
  if (std::find(kGroups.begin(), kGroups.end(), rule.group) == kGroups.end()) {
    errors.add(1, fmt::format("unknown group '{}'", escape_for_display(rule.group)), suggestion(rule.group, kGroups));
  }
}

template <typename Enum>
void read_choice(Fields& fields, std::string_view key, Enum last, Enum& out) {
  if (const auto index = fields.choice(key, names_of(last))) out = static_cast<Enum>(*index);
}

/// "" takes the default's value away.
template <typename Enum>
void read_optional(Fields& fields, std::string_view key, Enum last, std::optional<Enum>& out) {
  const int none = static_cast<int>(last) + 1;
  if (const auto index = fields.choice(key, names_of(last), none)) {
    out = *index == none ? std::nullopt : std::optional<Enum>(static_cast<Enum>(*index));
  }
}

void check_placeholders(Fields& fields, std::string_view key, std::string_view text) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return;
    const std::string_view name = text.substr(open + 1, close - open - 1);
    if (name.empty() || !std::all_of(name.begin(), name.end(), fits)) continue;
    if (std::find(kPlaceholders.begin(), kPlaceholders.end(), name) != kPlaceholders.end()) continue;
    fields.error(key, fmt::format("unknown placeholder '{{{}}}' in '{}'", name, key), suggestion(name, kPlaceholders));
  }
}

void check_outcome(Fields& fields, const Outcome& out, bool settled) {
  check_placeholders(fields, "reason", out.reason);
  check_placeholders(fields, "replacement", out.replacement);
  if ((out.category == Category::none) != (out.decision == Decision::ignore)) {
    fields.error("decision",
                 fmt::format("category {} with decision {}", to_string(out.category), to_string(out.decision)),
                 "'none' goes with 'ignore' and with nothing else");
  }
  if (settled && out.action != PortAction::none) {
    fields.error("action", fmt::format("decision {} with action {}", to_string(out.decision), to_string(out.action)),
                 "what stays as it is needs no 'action'");
  }
  if (out.action == PortAction::none && !out.replacement.empty()) {
    fields.error("replacement", "a 'replacement' without an 'action'", "add action = \"rewrite\"");
  }
  if ((out.action == PortAction::rewrite) == (out.helper.empty() && !out.counterpart)) {
    const bool rewrites = out.action == PortAction::rewrite;
    fields.error(rewrites          ? "action"
                 : out.counterpart ? "counterpart"
                                   : "helper",
                 rewrites          ? "action rewrite without a 'helper'"
                 : out.counterpart ? "a 'counterpart' without action rewrite"
                                   : "a 'helper' without action rewrite",
                 "'helper' names the function of data/port/helper.toml that the rewrite uses");
  }
  if (out.counterpart && !out.helper.empty())
    fields.error("counterpart", "'helper' and 'counterpart' in one outcome", "a rewrite has one form");
  if (out.branch && out.decision != Decision::retain)
    fields.error("branch", "a 'branch' that is not retained",
                 "only what is right as it stands is one branch of several");
  if (settled && !out.reader.empty())
    fields.error("reader", "a 'reader' for what stays as it is",
                 "only a value that must change is mapped by its reader");
}

/// Overwrites those fields of `out` that the table has. What is right as it stands takes no edit over from the default.
void read_outcome_fields(Fields& fields, Outcome& out) {
  read_choice(fields, "category", Category::none, out.category);
  read_choice(fields, "decision", Decision::ignore, out.decision);
  const bool settled = out.decision == Decision::retain || out.decision == Decision::ignore;
  if (settled || out.decision == Decision::unsupported) {
    out.action = PortAction::none;
    out.replacement.clear();
    out.helper.clear();
    out.counterpart = false;
    out.reader.clear();
  }
  if (settled) out.means = Means::null;
  if (const auto means = fields.choice("means", names_of(Means::fallback), 0)) out.means = static_cast<Means>(*means);
  read_choice(fields, "confidence", Confidence::guess, out.confidence);
  read_optional(fields, "phase", Phase::docs, out.phase);
  read_optional(fields, "effort", Effort::redesign, out.effort);
  read_choice(fields, "action", PortAction::file, out.action);
  if (out.action != PortAction::rewrite) {
    out.helper.clear();
    out.counterpart = false;
  }
  if (auto helper = fields.text("helper")) out.helper = std::move(*helper);
  if (const auto counterpart = fields.flag("counterpart")) out.counterpart = *counterpart;
  if (out.counterpart && !fields.has("helper")) out.helper.clear();
  if (const auto branch = fields.flag("branch")) out.branch = *branch;
  if (auto reader = fields.text("reader")) out.reader = std::move(*reader);
  if (auto reason = fields.text("reason")) out.reason = std::move(*reason);
  if (auto replacement = fields.text("replacement")) out.replacement = std::move(*replacement);
  check_outcome(fields, out, settled);
}

void read_outcomes(Fields& fields, Rule& rule, FieldErrors& errors) {
  Outcome fallback;
  for (const std::string_view key : {"category"sv, "decision"sv, "reason"sv}) fields.required_text(key);
  read_outcome_fields(fields, fallback);
  for (const TomlValue* table : fields.tables("outcome")) {
    Outcome outcome = fallback;
    Fields inner(*table, "[[outcome]]", errors);
    read_outcome_fields(inner, outcome);
    if (trim(outcome.reason).empty()) inner.error("reason", "[[outcome]] has an empty 'reason'");
    for (const TomlValue* when : inner.tables("when")) {
      outcome.when.push_back(read_condition(*when, "[[outcome.when]]", errors));
    }
    if (outcome.when.empty()) {
      inner.absence("[[outcome]] has no [[outcome.when]], so nothing behind it is ever asked",
                    "the rule's own fields are the default outcome");
    }
    inner.finish();
    rule.outcomes.push_back(std::move(outcome));
  }
  rule.outcomes.push_back(std::move(fallback));
}

/// Takes " = category/decision" off the end of `text`.
bool split_decision(std::string_view& text, RuleCase::Expected& out, std::string& problem) {
  const std::size_t at = text.rfind(" = ");
  const std::size_t slash = at == std::string_view::npos ? at : text.find('/', at);
  if (slash == std::string_view::npos) return true;
  const std::string_view category = text.substr(at + 3, slash - at - 3);
  const std::string_view decision = text.substr(slash + 1);
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; };
  if (!std::all_of(category.begin(), category.end(), fits) || !std::all_of(decision.begin(), decision.end(), fits))
    return true;
  out.category = parse_category(category);
  out.decision = parse_decision(decision);
  if (!out.category)
    problem = fmt::format("unknown category '{}'; {}", category, suggestion(category, names_of(Category::none)));
  else if (!out.decision)
    problem = fmt::format("unknown decision '{}'; {}", decision, suggestion(decision, names_of(Decision::ignore)));
  text = text.substr(0, at);
  return problem.empty();
}

/// "LINE: TEXT[ = category/decision]"
void read_expected(const TomlValue& value, int last_line, RuleCase& out, FieldErrors& errors) {
  const std::string_view text = value.text;
  const std::size_t colon = text.find(": ");
  RuleCase::Expected expected;
  for (std::size_t i = 0; i < colon && i < text.size(); ++i) {
    if (!is_ascii_digit(text[i]) || i > 6)
      return errors.add(value.line, "'expect' must begin with a line number", "\"3: torch.cuda\"");
    expected.line = expected.line * 10 + (text[i] - '0');
  }
  if (colon == std::string_view::npos || colon == 0) {
    return errors.add(value.line, "'expect' has no line number", "\"3: torch.cuda\"");
  }
  std::string_view rest = text.substr(colon + 2);
  std::string problem;
  if (!split_decision(rest, expected, problem)) return errors.add(value.line, std::move(problem));
  expected.text = rest;
  if (rest.empty()) errors.add(value.line, "'expect' does not say with what the text begins");
  if (expected.line < out.first_line || expected.line > last_line) {
    errors.add(value.line, fmt::format("'expect' names line {}, but 'source' has lines {} to {}", expected.line,
                                       out.first_line, last_line));
  }
  out.expected.push_back(std::move(expected));
}

RuleCase read_case(const TomlValue& table, FieldErrors& errors) {
  RuleCase out;
  Fields fields(table, "[[case]]", errors);
  out.line = table.line;
  out.path = fields.text("path").value_or("example.py");
  if (out.path.empty() || out.path.front() == '/') fields.error("path", "'path' must be a relative path");
  out.source = fields.required_text("source");
  out.copy_of = fields.text("copy_of").value_or("");
  const TomlValue* source = fields.value("source");
  if (!fields.has("expect"))
    fields.absence("[[case]] has no 'expect'", "expect = [] says that the rule explains nothing here");
  // The newline behind the opening quotes is not part of the value, but people count it.
  out.first_line = source != nullptr && source->opens_with_newline ? 2 : 1;
  const auto newlines = std::count(out.source.begin(), out.source.end(), '\n') - (out.source.ends_with('\n') ? 1 : 0);
  const int last_line = out.first_line + static_cast<int>(newlines);
  for (const TomlValue* value : fields.text_values("expect", true)) read_expected(*value, last_line, out, errors);
  fields.finish();
  return out;
}

void read_cases(Fields& fields, Rule& rule, FieldErrors& errors) {
  for (const TomlValue* table : fields.tables("case")) rule.cases.push_back(read_case(*table, errors));
  const auto positive = [](const RuleCase& c) { return !c.expected.empty(); };
  if (std::none_of(rule.cases.begin(), rule.cases.end(), positive)) {
    fields.error("case", "the rule has no positive case",
                 "add a [[case]] with a line of what the rule explains in 'expect'");
  }
  if (std::all_of(rule.cases.begin(), rule.cases.end(), positive)) {
    fields.error("case", "the rule has no negative case", "add a [[case]] with expect = []");
  }
}

void read_triggers(Fields& fields, Rule& rule, FieldErrors& errors) {
  for (const TomlValue* value : fields.text_values("triggers")) {
    const std::string& text = value->text;
    const auto ascii = [](char c) { return c >= ' ' && c <= '~'; };
    if (text.size() < kMinTrigger || text.size() > kMaxTrigger || !std::all_of(text.begin(), text.end(), ascii)) {
      errors.add(value->line, fmt::format("trigger '{}' must have {} to {} printable ASCII characters",
                                          escape_for_display(text), kMinTrigger, kMaxTrigger));
    }
    rule.triggers.push_back(text);
  }
}

void read_rule(const TomlValue& table, Rule& rule, FieldErrors& errors) {
  Fields fields(table, "the rule", errors);
  rule.summary = fields.required_text("summary");
  if (rule.summary.find('\n') != std::string::npos) fields.error("summary", "'summary' must be one line");
  rule.why = fields.required_text("why");
  rule.source = fields.text("source").value_or("");
  rule.order = fields.number("order", 0, kMaxOrder).value_or(500);
  for (const TomlValue* match : fields.tables("match"))
    rule.match.push_back(read_condition(*match, "[[match]]", errors));
  if (rule.match.empty()) fields.absence("the rule has no [[match]]", "say which sites it explains");
  read_outcomes(fields, rule, errors);
  read_cases(fields, rule, errors);
  read_triggers(fields, rule, errors);
  fields.finish();
}

}  // namespace

Result<Rule> load_rule(const DataFile& file) {
  TRY(const TomlValue table, parse_toml(file.bytes, file.path));
  FieldErrors errors{file.path, {}};
  Rule rule;
  read_name(file.path, rule, errors);
  read_rule(table, rule, errors);
  if (errors.first) return tl::unexpected(std::move(*errors.first));
  return rule;
}

}  // namespace accelport
