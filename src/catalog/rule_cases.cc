#include <algorithm>
#include <string>

#include <fmt/core.h>

#include "base/text.h"
#include "catalog/catalog.h"
#include "syntax/reader.h"

namespace accelport {
namespace {

/// What the rule said about one site of an example.
struct Said {
  int line;  // as the example counts
  std::string_view text;
  const Outcome* outcome;
};

/// Runs one example as the audit would: a text without any hit is not read at all, and a site that no hit belongs to
/// counts only if it is found worth a decision.
class CaseRun {
 public:
  CaseRun(const Catalog& catalog, const Rule& rule, const RuleCase& example)
      : catalog_(catalog),
        rule_(rule),
        example_(example),
        padded_(example.source + std::string(kTextPadding, '\0')),
        text_(padded_.data(), example.source.size()) {}

  std::vector<Error> run() {
    catalog_.scanner->scan(text_, hits_);
    if (hits_.empty() && example_.copy_of.empty() && !example_.expected.empty()) {
      report("neither a term nor a trigger occurs in it, so the file would never be read",
             "use a name of terms.toml or give the rule 'triggers'");
    }
    if (!hits_.empty() || !example_.copy_of.empty()) explain();
    compare();
    return std::move(errors_);
  }

 private:
  void report(std::string message, std::string hint = {}) {
    errors_.push_back({Error::Kind::data, std::move(message),
                       fmt::format("rules/{}/{}.toml:{}", rule_.group, rule_.id, example_.line), std::move(hint)});
  }

  void explain() {
    const FileKind kind = file_kind(example_.path, text_);
    ReaderFacts facts;
    if (!example_.copy_of.empty()) facts.platform_copies.emplace(example_.path, example_.copy_of);
    ReadOutput read;
    read_source({example_.path, text_, kind, hits_, &facts}, read);
    add_uncovered(kind, read.sites);
    const LineTable lines(text_);
    for (const Site& site : read.sites) {
      const bool owns = owns_hit(site, read.sites);
      const Verdict verdict = explain_site(catalog_, site, text_, example_.path, kind.roles, owns);
      const int line = static_cast<int>(lines.position(site.span.begin).line) + example_.first_line - 1;
      if (verdict.rule != nullptr && !owns && verdict.outcome->category == Category::none) continue;
      all_.push_back({line, slice(text_, site.span), verdict.outcome});
      rules_.push_back(verdict.rule);
    }
  }

  bool is_term(const Hit& hit) const { return hit.word < catalog_.first_trigger; }

  /// A hit in no site makes its line a site of kind `text`.
  void add_uncovered(FileKind kind, std::vector<Site>& sites) const {
    const LineTable lines(text_);
    for (const Hit& hit : hits_) {
      const auto covers = [&hit](const Site& site) { return site.span.contains(hit.offset); };
      if (!is_term(hit) || std::any_of(sites.begin(), sites.end(), covers)) continue;
      Site site;
      site.span = lines.line(lines.position(hit.offset).line);
      while (is_ascii_space(text_[site.span.begin])) ++site.span.begin;
      site.language = kind.language;
      sites.push_back(std::move(site));
    }
  }

  /// True if a term's hit lies in `site` and in no narrower one.
  bool owns_hit(const Site& site, const std::vector<Site>& sites) const {
    return std::any_of(hits_.begin(), hits_.end(), [&](const Hit& hit) {
      if (!is_term(hit) || !site.span.contains(hit.offset)) return false;
      return std::none_of(sites.begin(), sites.end(), [&](const Site& other) {
        return other.span.contains(hit.offset) && other.span.size() < site.span.size();
      });
    });
  }

  static bool fits(const RuleCase::Expected& expected, const Said& said) {
    return said.line == expected.line && said.text.starts_with(expected.text);
  }

  void compare() {
    std::vector<bool> used(all_.size());
    for (const RuleCase::Expected& expected : example_.expected) expect(expected, used);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (rules_[i] == &rule_ && !used[i])
        report(fmt::format("explains what 'expect' does not name: {}", describe(all_[i])));
    }
  }

  void expect(const RuleCase::Expected& expected, std::vector<bool>& used) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (rules_[i] != &rule_ || used[i] || !fits(expected, all_[i])) continue;
      used[i] = true;
      const Outcome& outcome = *all_[i].outcome;
      const bool same = (!expected.category || *expected.category == outcome.category) &&
                        (!expected.decision || *expected.decision == outcome.decision);
      if (!same) report(fmt::format("another decision than expected: {}", describe(all_[i])));
      return;
    }
    report(fmt::format("does not explain \"{}: {}\"; {}", expected.line, escape_for_display(expected.text),
                       on_line(expected.line)));
  }

  /// What was found on a line instead, with the rules that took it.
  std::string on_line(int line) const {
    std::string out;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].line != line) continue;
      out += fmt::format("{}\"{}\" by {}", out.empty() ? "" : ", ", escape_for_display(all_[i].text.substr(0, 60)),
                         rules_[i] == nullptr ? "no rule" : rules_[i]->id);
    }
    return out.empty() ? "no site begins on that line" : "on that line: " + out;
  }

  static std::string describe(const Said& said) {
    return fmt::format("\"{}: {} = {}/{}\"", said.line, escape_for_display(said.text.substr(0, 60)),
                       to_string(said.outcome->category), to_string(said.outcome->decision));
  }

  const Catalog& catalog_;
  const Rule& rule_;
  const RuleCase& example_;
  const std::string padded_;
  const std::string_view text_;
  std::vector<Hit> hits_;
  std::vector<Said> all_;
  std::vector<const Rule*> rules_;  // by entry of `all_`: who said it, or null
  std::vector<Error> errors_;
};

}  // namespace

std::vector<Error> verify_rule_cases(const Catalog& catalog, const Rule& rule) {
  std::vector<Error> errors;
  for (const std::string& trigger : rule.triggers) {
    const auto needs = [&](const RuleCase& c) {
      return !c.expected.empty() && c.source.find(trigger) != std::string::npos;
    };
    if (std::any_of(rule.cases.begin(), rule.cases.end(), needs)) continue;
    errors.push_back({Error::Kind::data,
                      fmt::format("trigger '{}' occurs in no positive case", escape_for_display(trigger)),
                      fmt::format("rules/{}/{}.toml", rule.group, rule.id), "add a case that needs it, or drop it"});
  }
  for (const RuleCase& example : rule.cases) {
    for (Error& error : CaseRun(catalog, rule, example).run()) errors.push_back(std::move(error));
  }
  return errors;
}

}  // namespace accelport
