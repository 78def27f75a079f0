#include "edit/adapter_plan.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "catalog/beside_table.h"
#include "edit/programs.h"
#include "edit/python_source.h"

namespace accelport {
namespace {

std::string_view top_of(std::string_view module) { return module.substr(0, module.find('.')); }

/// The line of the module's own level that `token` stands in or under; kNone if it stands in a function or a class.
std::uint32_t top_line(const PythonSource& source, std::uint32_t token) {
  std::uint32_t line = source.annotator.line_of(token);
  for (; source.parent[line] != kNone; line = source.parent[line]) {
    const PyLine& header = source.lexed.lines[source.parent[line]];
    for (std::uint32_t t = header.first; t < std::min(header.first + 2, header.last); ++t)
      if (source.token(t).word() == PyWord::def_ || source.token(t).word() == PyWord::class_) return kNone;
  }
  return line;
}

/// What the string at `token` is compared with.
struct Comparison {
  bool any = false;
  bool equality = false;  // by == or !=
  std::string_view with;  // the last name of the other side, calls left out
};

/// Compared itself, or in a list that is searched.
bool is_compared(const PythonSource& source, const PyPlace& place) {
  if (place.context != Context::element)
    return place.context == Context::compared || place.context == Context::key || place.context == Context::pattern;
  const std::uint32_t opener = source.mark(place.begin).opener;
  if (opener == kNoToken || source.mark(opener).mate == kNoToken) return false;
  return source.annotator.place(opener, source.mark(opener).mate).context == Context::compared;
}

Comparison comparison_at(const PythonSource& source, std::uint32_t token) {
  const PyPlace place = source.annotator.place(token);
  Comparison comparison;
  comparison.any = is_compared(source, place);
  if (place.context != Context::compared || place.other == kNoToken) return comparison;
  std::uint32_t other = place.other;
  const bool on_left = other < place.begin;
  const std::string_view sign = source.text_of(on_left ? place.begin - 1 : place.end + 1);
  comparison.equality = sign == "==" || sign == "!=";
  if (source.text_of(other) == ")" && source.mark(other).mate != kNoToken && source.mark(other).mate > 0)
    other = source.mark(other).mate - 1;
  if (source.annotator.is_plain_name(other))
    comparison.with = source.text_of(on_left ? other : source.mark(other).last);
  return comparison;
}

void add_edit(const FileDraft& draft, Edit edit, Plan& plan) {
  const std::string& path = draft.file->path;
  auto change = std::find_if(plan.changes.begin(), plan.changes.end(), [&](const auto& c) { return c.path == path; });
  if (change == plan.changes.end()) {
    change = plan.changes.insert(plan.changes.end(), FileChange{});
    change->path = path;
    change->before = draft.view();
  }
  const auto at = std::find_if(change->edits.begin(), change->edits.end(),
                               [&](const Edit& other) { return other.span.begin >= edit.span.begin; });
  change->edits.insert(at, std::move(edit));
  change->after = apply_edits(change->before, change->edits);
}

}  // namespace

Result<void> AdapterStyle::check(const std::vector<const Platform*>& platforms) {
  for (const Platform* platform : platforms)
    if (!platform->adapter)
      return fail(Error::Kind::usage, fmt::format("no adapter is known for the platform '{}'", platform->name), {},
                  "leave --style out, or say --style helper or --style neutral");
  return {};
}

std::string AdapterStyle::names() const {
  std::string names;
  for (const Platform* platform : platforms_) names += (names.empty() ? "" : ", ") + platform->adapter->name;
  return names;
}

bool AdapterStyle::any_limit(const std::function<bool(const AdapterLimit&)>& holds) const {
  return std::any_of(platforms_.begin(), platforms_.end(), [&](const Platform* platform) {
    return std::any_of(platform->adapter->limits.begin(), platform->adapter->limits.end(), holds);
  });
}

bool AdapterStyle::is_check(const HelperFunction& function) const {
  return any_limit([&](const AdapterLimit& limit) { return limit.check == function.name; });
}

void AdapterStyle::keep_compared(FileDraft& draft,
                                 const std::function<void(const Occurrence&, std::string reason)>& left) const {
  const auto is_literal = [](const Wanted& wanted) { return wanted.function->kind == HelperKind::literal; };
  if (std::none_of(draft.wanted.begin(), draft.wanted.end(), is_literal)) return;
  const PythonSource source(draft.decoded.text);
  std::erase_if(draft.wanted, [&](const Wanted& wanted) {
    if (!is_literal(wanted)) return false;
    const std::uint32_t token = source.token_at(wanted.occurrence->span.begin);
    const Comparison comparison = token == kNoToken ? Comparison{} : comparison_at(source, token);
    const auto answers = [&](const AdapterLimit& l) {
      return l.check == wanted.function->name && l.of == comparison.with;
    };
    if (comparison.equality && any_limit(answers)) return false;
    left(*wanted.occurrence, comparison.any ? "compared with what the adapter may have renamed or not (" + names() +
                                                  "): a person must see to it"
                                            : reason());
    return true;
  });
}

std::string AdapterStyle::reason() const { return "left to the adapter (" + names() + ")"; }

std::string AdapterStyle::block(const std::string& newline) const {
  std::string all;
  for (const Platform* platform : platforms_)
    for (const char c : fill_beside(
             table_.adapter.import,
             {{"plug_in", platform->plug_in}, {"adapter", platform->adapter->module}, {"title", platform->title}}))
      all += c == '\n' ? newline : std::string(1, c);
  return all;
}

/// In front of the first statement that imports what may load torch; nothing if there is none or the adapter is
/// imported already.
std::optional<Edit> AdapterStyle::import_edit(const FileDraft& draft, const PythonSource& source) const {
  std::uint32_t line = kNone;
  for (const ImportStatement& statement : source.imports)
    for (const ImportedName& name : statement.names) {
      const std::string_view top = top_of(name.path);
      for (const Platform* platform : platforms_)
        if (top == platform->adapter->module) return std::nullopt;
      if (table_.adapter.standard.count(top) != 0) continue;
      if (const std::uint32_t own = top_line(source, statement.first); own != kNone) line = std::min(line, own);
    }
  if (line == kNone) return std::nullopt;
  const std::uint32_t begin = draft.decoded.to_bytes(source.token(source.lexed.lines[line].first).begin);
  return Edit{{begin, begin}, block(source.newline), {}, {}};
}

void AdapterStyle::finish(const Audit& audit, const PlanOptions& options, const Files& files, Plan& plan) const {
  const Programs programs(audit, options, files);
  std::size_t count = 0;
  for (const auto& reader : programs.files()) {
    if (!programs.is_program(*reader)) continue;
    ++count;
    if (auto edit = import_edit(reader->draft, *reader->source)) add_edit(reader->draft, std::move(*edit), plan);
  }
  if (count == 0)
    plan.advice.push_back({fmt::format("No program was found here: import {} before anything that loads torch where "
                                       "yours starts.",
                                       names()),
                           {},
                           0,
                           {}});
  advise(audit, plan);
}

/// What the adapters do not do, with the number of places here that it is about.
void AdapterStyle::advise(const Audit& audit, Plan& plan) const {
  bool notebooks = false;
  for (const AuditedFile& file : audit.files)
    notebooks = notebooks || (file.kind.language == Language::notebook && !file.occurrences.empty());
  if (notebooks)
    plan.advice.push_back({fmt::format("Notebooks are not edited: import {} in the first cell.", names()), {}, 0, {}});
  for (const Platform* platform : platforms_)
    for (const AdapterLimit& limit : platform->adapter->limits) {
      ApiIndex index;
      index.add(limit.api, 0);
      Advice advice;
      std::size_t places = 0;
      for (const AuditedFile& file : audit.files)
        for (const Occurrence& o : file.occurrences) {
          if (o.api.empty() || o.installed) continue;
          if (index.find(o.api) == nullptr && index.find_prefix(o.api) == nullptr) continue;
          if (places++ == 0) advice.path = file.path, advice.line = o.line;
        }
      advice.text = fmt::format("{} does not cover {}: {}", platform->adapter->name, limit.api, limit.text);
      if (!limit.check.empty()) advice.text += " Where it is asked in Python, the helper asks it instead.";
      if (places > 1) advice.text += fmt::format(" {} places here, the first of them:", places);
      plan.advice.push_back(std::move(advice));
    }
}

}  // namespace accelport
