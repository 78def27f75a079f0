#include "edit/text_port.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "edit/import_rewrite.h"
#include "edit/parse_check.h"
#include "syntax/scan.h"
#include "syntax/tree.h"

namespace accelport {
namespace {

constexpr std::string_view kVisible = "CUDA_VISIBLE_DEVICES";

/// Occurrences that change together or not at all.
class Groups {
 public:
  explicit Groups(std::size_t count) : up_(count) { std::iota(up_.begin(), up_.end(), std::size_t{0}); }

  std::size_t find(std::size_t i) {
    while (up_[i] != i) i = up_[i] = up_[up_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    a = find(a), b = find(b);
    up_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> up_;
};

/// An import statement that occurrences stand in.
struct PortedImport {
  const ImportStatement* statement = nullptr;
  std::vector<std::size_t> occurrences;
  ImportRewrite result;
};

class TextPorter {
 public:
  TextPorter(const RewriteContext& context, const std::vector<TextOccurrence>& occurrences,
             const TextPortOptions& options)
      : context_(context),
        source_(context.source),
        occurrences_(occurrences),
        options_(options),
        results_(occurrences.size()),
        groups_(occurrences.size()) {}

  TextPort run();

 private:
  void rewrite(std::size_t i);
  bool comes_too_late(std::uint32_t token, const HelperFunction& function) const;
  bool uses_left(std::string_view name) const;
  bool is_covered(std::uint32_t token) const;
  void port_imports();
  void link(const PortedImport& import);
  void carry();
  std::size_t assigned_by(std::string_view name) const;
  void remove_empty_imports();
  bool becomes_helper_import(const PortedImport& import);
  bool fails_together(std::size_t i) const;
  void form_groups();
  void spread_failures();
  bool drop_overlaps();
  void fail_group(std::size_t i, const std::string& reason);
  void sort_drafts();
  void collect();
  std::uint32_t first_use() const;
  void add_helper_import();
  void check_result();

  struct Owned {
    Draft draft;
    std::size_t owner = 0;
  };

  const RewriteContext& context_;
  const PythonSource& source_;
  const std::vector<TextOccurrence>& occurrences_;
  const TextPortOptions& options_;
  std::vector<Rewrite> results_;
  Groups groups_;
  std::vector<PortedImport> imports_;
  std::vector<Owned> drafts_;
  bool helper_in_place_ = false;  // a statement that became empty imports the helper now
  TextPort out_;
};

/// A variable that torch reads when it is imported must not wait for a package that imports it.
bool TextPorter::comes_too_late(std::uint32_t token, const HelperFunction& function) const {
  const bool visible = !function.stands_for.empty() && function.stands_for.front() == kVisible;
  if ((function.kind != HelperKind::variable && !visible) || !options_.loads_package) return false;
  const PyBlocks& blocks = source_.blocks;
  if (blocks.scopes[blocks.scope_of(token, source_.annotator.line_of(token))].kind == PyScope::Kind::function)
    return false;
  return std::any_of(source_.imports.begin(), source_.imports.end(), [&](const ImportStatement& statement) {
    const std::string& module = statement.from ? statement.module : statement.names.front().path;
    return statement.first > token && (module == "torch" || module.starts_with("torch."));
  });
}

void TextPorter::rewrite(std::size_t i) {
  const TextOccurrence& occurrence = occurrences_[i];
  if (!occurrence.stays.empty()) {
    results_[i] = Rewrite::leave(occurrence.stays);
    return;
  }
  const std::uint32_t token = source_.token_at(occurrence.span.begin);
  if (token == kNoToken) {
    results_[i] = Rewrite::leave("not found as a part of the program (a comment, or text that is damaged)");
    return;
  }
  results_[i] = place_rewrite(source_, token);
  if (!results_[i].left.empty()) return;
  if (const ImportStatement* statement = source_.import_at(token); statement != nullptr) {
    if (imports_.empty() || imports_.back().statement != statement) imports_.push_back({statement, {}, {}});
    imports_.back().occurrences.push_back(i);
    return;
  }
  if (occurrence.function->kind != HelperKind::identity && comes_too_late(token, *occurrence.function)) {
    results_[i] = Rewrite::leave("set before torch is imported, and importing the helper's package may import torch");
    return;
  }
  const HelperKind kind = occurrence.function->kind;
  if (kind == HelperKind::identity && !occurrence.occurrence->reader.empty()) {
    results_[i] = rewrite_configured(context_, occurrence.span, *occurrence.function);
    return;
  }
  const bool literal = source_.token(token).kind != PyKind::name;
  if (literal != (kind == HelperKind::literal || kind == HelperKind::variable)) {
    results_[i] = Rewrite::leave("no function of the helper stands for this");
  } else if (literal) {
    results_[i] = rewrite_string(context_, token, *occurrence.function);
  } else {
    results_[i] = rewrite_chain(context_, token, occurrence.occurrence->api, *occurrence.function);
  }
}

bool TextPorter::is_covered(std::uint32_t token) const {
  const PyToken& t = source_.token(token);
  return std::any_of(results_.begin(), results_.end(), [&](const Rewrite& r) {
    return std::any_of(r.drafts.begin(), r.drafts.end(),
                       [&](const Draft& d) { return d.span.begin <= t.begin && t.end <= d.span.end; });
  });
}

/// Whether anything but imports and what is rewritten uses the name.
bool TextPorter::uses_left(std::string_view name) const {
  if (options_.keeps_names || options_.is_taken_elsewhere(name) || source_.is_exported(name)) return true;
  const std::uint32_t number = source_.lexed.names.find(name);
  std::size_t bindings = 0, uses = 0;
  for (std::uint32_t t = source_.lexed.names.first(number); t != kNoToken; t = source_.token(t).next) {
    if (!source_.is_variable(t)) continue;
    if (const ImportStatement* import = source_.import_at(t); import != nullptr) {
      bindings += std::any_of(import->names.begin(), import->names.end(), [&](const auto& n) { return n.bound == t; });
      continue;
    }
    ++uses;
    if (!is_covered(t)) return true;
  }
  return bindings != 1 || uses == 0;
}

/// The uses of the names that an import binds change with it.
void TextPorter::link(const PortedImport& import) {
  for (const std::size_t i : import.occurrences) groups_.join(i, import.occurrences.front());
  for (const std::string& name : import.result.dropped)
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (results_[i].drafts.empty()) continue;
      const std::uint32_t token = source_.token_at(occurrences_[i].span.begin);
      if (token != kNoToken && source_.text_of(source_.mark(token).first) == name)
        groups_.join(i, import.occurrences.front());
    }
}

void TextPorter::port_imports() {
  for (PortedImport& import : imports_) {
    import.result =
        rewrite_import(context_, *import.statement, [this](std::string_view name) { return uses_left(name);
  });
  for (const std::size_t i : import.occurrences) results_[i].left = import.result.rewrite.left;
  if (!import.result.rewrite.left.empty()) continue;
  Rewrite& first = results_[import.occurrences.front()];
  first.drafts = import.result.rewrite.drafts;
  first.functions = import.result.rewrite.functions;
  link(import);
}
}  // namespace

/// The occurrence that is the whole value of `name = …`, or the number of occurrences.
std::size_t TextPorter::assigned_by(std::string_view name) const {
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const std::uint32_t token = source_.token_at(occurrences_[i].span.begin);
    if (results_[i].drafts.empty() || token == kNoToken || token < 2 || !source_.lexed.is_op(token - 1, '=')) continue;
    if (source_.text_of(token - 2) == name && source_.annotator.statement(token).first == token - 2) return i;
  }
  return results_.size();
}

void TextPorter::carry() {
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const std::string& name = results_[i].carried;
    if (name.empty()) continue;
    bool bound = false;
    for (const PortedImport& import : imports_) {
      const auto& names = import.result.bound;
      if (!import.result.rewrite.left.empty() || std::find(names.begin(), names.end(), name) == names.end()) continue;
      groups_.join(i, import.occurrences.front());
      bound = true;
    }
    if (const std::size_t by = bound ? results_.size() : assigned_by(name); by < results_.size()) {
      groups_.join(i, by);
      bound = true;
    }
    if (!bound) results_[i].left = "follows the name '" + name + "', whose binding stays as it is";
  }
}

/// An import that has become empty and stands in front of every edit gives its place to the helper's.
bool TextPorter::becomes_helper_import(const PortedImport& import) {
  if (helper_in_place_ || !options_.needs_import || !source_.at_module_level(import.statement->first)) return false;
  const std::uint32_t begin = source_.token(import.statement->first).begin;
  for (const Rewrite& result : results_)
    for (const Draft& draft : result.drafts)
      if (draft.span.begin < begin && draft.text.find(context_.helper + ".") != std::string::npos) return false;
  return !has_import(source_, context_.helper, begin) &&
         source_.token(import.statement->last + 1).kind == PyKind::newline;
}

void TextPorter::remove_empty_imports() {
  for (PortedImport& import : imports_) {
    if (!import.result.removable || !import.result.rewrite.left.empty()) continue;
    const std::uint32_t first = import.statement->first, last = import.statement->last;
    const Span span{source_.token(first).begin, source_.token(last).end};
    Rewrite& result = results_[import.occurrences.front()];
    std::uint32_t end = 0;
    if (becomes_helper_import(import)) {
      helper_in_place_ = true;
      result.drafts.push_back({span, options_.import_statement, span.end});
    } else if (source_.at_module_level(first) && source_.ends_line(last, end) && end == span.end) {
      result.drafts.push_back({{span.begin, source_.next_line(end)}, "", span.end});
    } else {
      const std::string text = import.result.dropped.front() + " = " + context_.call("accelerator_module");
      result.functions.insert("accelerator_module");
      result.drafts.push_back({span, text, span.end});
    }
  }
}

/// A branch is whole or stays.
bool TextPorter::fails_together(std::size_t i) const {
  return !results_[i].alone || occurrences_[i].occurrence->branch != nullptr;
}

void TextPorter::form_groups() {
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < occurrences_.size(); ++i) {
    const std::string& name = occurrences_[i].occurrence->group;
    if (name.empty() || !fails_together(i)) continue;
    groups_.join(i, seen.emplace(name, i).first->second);
  }
}

void TextPorter::fail_group(std::size_t i, const std::string& reason) {
  const std::size_t group = groups_.find(i);
  for (std::size_t k = 0; k < results_.size(); ++k)
    if (groups_.find(k) == group && results_[k].left.empty()) results_[k] = Rewrite::leave(reason);
}

void TextPorter::spread_failures() {
  for (std::size_t i = 0; i < results_.size(); ++i)
    if (!results_[i].left.empty() && fails_together(i))
      fail_group(i, "changes together with line " + std::to_string(occurrences_[i].line) + ", which stays");
}

/// By place; of insertions at one place the one that reaches further first, and insertions in front of what begins
/// there.
void TextPorter::sort_drafts() {
  drafts_.clear();
  for (std::size_t i = 0; i < results_.size(); ++i)
    for (const Draft& draft : results_[i].drafts) drafts_.push_back({draft, i});
  std::stable_sort(drafts_.begin(), drafts_.end(), [](const Owned& a, const Owned& b) {
    const Draft &x = a.draft, &y = b.draft;
    if (x.span.begin != y.span.begin) return x.span.begin < y.span.begin;
    if ((x.span.size() == 0) != (y.span.size() == 0)) return x.span.size() == 0;
    return x.reach > y.reach;
  });
}

bool TextPorter::drop_overlaps() {
  sort_drafts();
  std::size_t widest = 0;  // the draft that ends last so far
  for (std::size_t i = 1; i < drafts_.size(); ++i) {
    const Draft& draft = drafts_[i].draft;
    const Draft& before = drafts_[widest].draft;
    if (draft.span.begin < before.span.end) {
      fail_group(drafts_[i].owner, "its edit would overlap with another one");
      fail_group(drafts_[widest].owner, "its edit would overlap with another one");
      return true;
    }
    if (draft.span.end >= before.span.end) widest = i;
  }
  return false;
}

void TextPorter::collect() {
  struct Group {
    std::size_t members = 0;
    std::string name;
    std::vector<std::size_t> silent;  // carried by a name: settled by the edit that binds it
  };
  std::map<std::size_t, Group> groups;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    out_.left.push_back(results_[i].left);
    if (!results_[i].left.empty()) continue;
    out_.functions.insert(results_[i].functions.begin(), results_[i].functions.end());
    Group& group = groups[groups_.find(i)];
    ++group.members;
    if (group.name.empty()) group.name = occurrences_[i].occurrence->group;
    if (results_[i].drafts.empty()) group.silent.push_back(i);
  }
  for (const Owned& owned : drafts_) {
    const std::size_t number = groups_.find(owned.owner);
    const Group& group = groups[number];
    TextEdit edit{owned.draft.span, owned.draft.text, {owned.owner}, {}};
    if (group.members > 1)
      edit.group = group.name.empty() ? "i" + occurrences_[number].occurrence->id.substr(0, 8) : group.name;
    edit.owners.insert(edit.owners.end(), group.silent.begin(), group.silent.end());
    out_.edits.push_back(std::move(edit));
  }
}

/// Where the first edit begins that uses the helper.
std::uint32_t TextPorter::first_use() const {
  const std::string use = context_.helper + ".";
  for (const TextEdit& edit : out_.edits)
    if (edit.text.find(use) != std::string::npos) return edit.span.begin;
  return out_.edits.front().span.begin;
}

void TextPorter::add_helper_import() {
  const bool replaced = std::any_of(out_.edits.begin(), out_.edits.end(),
                                    [&](const TextEdit& e) { return e.text == options_.import_statement; });
  if (out_.functions.empty()) return;
  const std::uint32_t first = first_use();
  out_.imports_helper = true;
  if (replaced || !options_.needs_import || has_import(source_, context_.helper, first)) return;
  const HelperImport import = place_import(source_, options_.import_statement, first);
  const auto at = std::find_if(out_.edits.begin(), out_.edits.end(),
                               [&](const TextEdit& e) { return e.span.begin >= import.span.begin; });
  out_.edits.insert(at, {import.span, import.text, {}, {}});
}

/// A result that cannot be parsed although the original could is thrown away as a whole.
void TextPorter::check_result() {
  if (out_.edits.empty()) return;
  std::string after;
  std::vector<Span> places;
  std::uint32_t done = 0;
  for (const TextEdit& edit : out_.edits) {
    after.append(source_.text.substr(done, edit.span.begin - done));
    const auto begin = static_cast<std::uint32_t>(after.size());
    after.append(edit.text);
    places.push_back({begin, static_cast<std::uint32_t>(after.size())});
    done = edit.span.end;
  }
  after.append(source_.text.substr(done));
  const std::size_t size = after.size();
  after.append(kTextPadding, '\0');
  const std::string_view text = std::string_view(after).substr(0, size);
  PyLexed lexed;
  lex_python(text, lexed);
  const bool worse =
      lexed.damage > source_.lexed.damage || (!touched_statements_parse(text, lexed, places) &&
                                              PythonTree(text).damaged() && !PythonTree(source_.text).damaged());
  if (!worse) return;
  out_.edits.clear();
  out_.functions.clear();
  out_.imports_helper = false;
  for (std::string& left : out_.left)
    if (left.empty()) left = "the file could not be parsed with the changes made";
}

TextPort TextPorter::run() {
  for (std::size_t i = 0; i < occurrences_.size(); ++i) rewrite(i);
  port_imports();
  remove_empty_imports();
  carry();
  form_groups();
  spread_failures();
  while (drop_overlaps()) {
  }
  collect();
  if (!out_.edits.empty()) add_helper_import();
  check_result();
  return std::move(out_);
}

}  // namespace accelport

TextPort port_text(const RewriteContext& context, const std::vector<TextOccurrence>& occurrences,
                   const TextPortOptions& options) {
  return TextPorter(context, occurrences, options).run();
}

}  // namespace accelport
