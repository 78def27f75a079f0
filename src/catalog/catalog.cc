#include "catalog/catalog.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include <fmt/core.h>

#include "catalog/condition.h"
#include "catalog/embedded.h"
#include "catalog/load.h"

namespace accelport {
namespace {

constexpr std::string_view kRules = "rules/";
constexpr std::string_view kPlatforms = "platforms/";
constexpr std::size_t kMaxRules = 20000;

Result<void> load_search_list(const std::vector<DataFile>& files, const std::vector<std::string>& extra,
                              Catalog& catalog) {
  const auto file = std::find_if(files.begin(), files.end(), [](const DataFile& f) { return f.path == "terms.toml"; });
  if (file == files.end()) return fail(Error::Kind::data, "the search list is missing", "terms.toml");
  TRY(SearchList list, load_terms(*file));
  for (const std::string& term : extra) TRY_DO(add_term(list, term, "accelport.toml"));
  catalog.words = std::move(list.words);
  catalog.terms = std::move(list.terms);
  catalog.first_trigger = catalog.words.size();
  catalog.terms_by_word.resize(catalog.words.size());
  for (std::size_t i = 0; i < catalog.terms.size(); ++i) {
    catalog.terms_by_word[catalog.terms[i].word].push_back(static_cast<std::uint16_t>(i));
  }
  return {};
}

bool is_rule_file(std::string_view path) { return path.starts_with(kRules) && path.ends_with(".toml"); }

Result<void> check_rule_names(const std::vector<Rule>& rules) {
  std::set<std::string_view> seen;
  for (const Rule& rule : rules) {
    if (seen.insert(rule.id).second) continue;
    return fail(Error::Kind::data, fmt::format("there are two rules called '{}'", rule.id),
                fmt::format("rules/{}/{}.toml:1", rule.group, rule.id),
                "the name is the rule's id; rename one of the files");
  }
  return {};
}

Result<void> load_all_rules(const std::vector<DataFile>& files, Catalog& catalog) {
  for (const DataFile& file : files) {
    if (!is_rule_file(file.path)) continue;
    TRY(Rule rule, load_rule(file));
    catalog.rules.push_back(std::move(rule));
  }
  if (catalog.rules.size() > kMaxRules) return fail(Error::Kind::data, "too many rules", "rules/");
  auto& rules = catalog.rules;
  std::sort(rules.begin(), rules.end(),
            [](const Rule& a, const Rule& b) { return std::tie(a.order, a.id) < std::tie(b.order, b.id); });
  TRY_DO(check_rule_names(rules));
  const auto is_early = [](const Rule& rule) { return rule.order < kCatchAllOrder; };
  catalog.first_catch_all =
      static_cast<std::size_t>(std::partition_point(rules.begin(), rules.end(), is_early) - rules.begin());
  catalog.rule_index = RuleIndex(rules);
  return {};
}

Result<void> load_all_platforms(const std::vector<DataFile>& files, Catalog& catalog) {
  std::set<std::string> names;
  for (const DataFile& file : files) {
    if (!file.path.starts_with(kPlatforms)) continue;
    const std::string rest = file.path.substr(kPlatforms.size());
    if (const std::size_t slash = rest.find('/'); slash != std::string::npos) names.insert(rest.substr(0, slash));
  }
  for (const std::string& name : names) {
    TRY(Platform platform, load_platform(name, files));
    catalog.platforms.push_back(std::move(platform));
  }
  return {};
}

void build_scanner(Catalog& catalog) {
  std::vector<LiteralScanner::Literal> literals;
  for (const std::string& word : catalog.words) literals.push_back({word, true});
  std::set<std::string> triggers;
  for (const Rule& rule : catalog.rules) triggers.insert(rule.triggers.begin(), rule.triggers.end());
  for (const std::string& trigger : triggers) {
    literals.push_back({trigger, false});
    catalog.words.push_back(trigger);
  }
  catalog.scanner = std::make_unique<const LiteralScanner>(std::move(literals));
}

const Outcome& choose_outcome(const Rule& rule, const SiteView& view, std::size_t first = 0) {
  for (std::size_t i = first; i < rule.outcomes.size(); ++i) {
    const Outcome& outcome = rule.outcomes[i];
    const auto fits = [&view](const Condition& condition) { return holds(condition, view); };
    if (outcome.when.empty() || std::any_of(outcome.when.begin(), outcome.when.end(), fits)) return outcome;
  }
  return rule.outcomes.back();
}

template <typename Fits>
std::vector<ApiMatch> rows_that(const Catalog& catalog, Fits fits) {
  std::vector<ApiMatch> out;
  for (const Platform& platform : catalog.platforms) {
    for (const ApiRow& row : platform.api) {
      if (fits(api_key(row.cuda))) out.push_back({&platform, &row});
    }
  }
  return out;
}

std::string_view without_scheme(std::string_view name) {
  for (const std::string_view scheme : {"env:", "package:", "cli:", "path:"}) {
    if (name.starts_with(scheme)) return name.substr(scheme.size());
  }
  return name;
}

}  // namespace

const Rule* Catalog::find_rule(std::string_view id) const {
  const auto at = std::find_if(rules.begin(), rules.end(), [id](const Rule& rule) { return rule.id == id; });
  return at == rules.end() ? nullptr : &*at;
}

const Platform* Catalog::find_platform(std::string_view name) const {
  const auto at =
      std::find_if(platforms.begin(), platforms.end(), [name](const Platform& p) { return p.name == name; });
  return at == platforms.end() ? nullptr : &*at;
}

Result<Catalog> load_catalog(const std::vector<DataFile>& files, const std::vector<std::string>& extra_terms) {
  Catalog catalog;
  TRY_DO(load_search_list(files, extra_terms, catalog));
  TRY_DO(load_all_rules(files, catalog));
  TRY_DO(load_all_platforms(files, catalog));
  build_scanner(catalog);
  return catalog;
}

const DataFile* find_data_file(const std::vector<DataFile>& data, std::string_view path) {
  const auto found = std::find_if(data.begin(), data.end(), [&](const DataFile& file) { return file.path == path; });
  return found == data.end() ? nullptr : &*found;
}

std::vector<DataFile> embedded_data() {
  std::vector<DataFile> files;
  for (const EmbeddedFile& file : embedded_files()) files.push_back({std::string(file.path), file.bytes});
  return files;
}

Verdict explain_site(const Catalog& catalog, const Site& site, const FileText& text, std::string_view path,
                     FileRole roles, bool has_hit) {
  const SiteView view{site, text, slice(text.view(), site.span), path, roles};
  const std::size_t end = has_hit ? catalog.rules.size() : catalog.first_catch_all;
  const int number = catalog.rule_index.first_match(catalog.rules, view, static_cast<std::uint16_t>(end));
  if (number < 0) return {};
  const Rule& rule = catalog.rules[static_cast<std::size_t>(number)];
  const Outcome& outcome = choose_outcome(rule, view);
  if (!outcome.branch) return {&rule, &outcome, nullptr};
  return {&rule, &outcome, &choose_outcome(rule, view, static_cast<std::size_t>(&outcome - rule.outcomes.data()) + 1)};
}

std::vector<ApiMatch> find_api_rows(const Catalog& catalog, std::string_view name) {
  const std::string key = api_key(name);
  if (key.empty()) return {};
  auto rows = rows_that(catalog, [&key](const std::string& row) { return row == key || row.starts_with(key + "("); });
  if (rows.empty()) {
    for (const Platform& platform : catalog.platforms) {
      if (const ApiRow* row = platform.find_api(name)) rows.push_back({&platform, row});
    }
  }
  if (rows.empty()) rows = rows_that(catalog, [&key](const std::string& row) { return row.ends_with("." + key); });
  if (rows.empty()) rows = rows_that(catalog, [&key](const std::string& row) { return row.starts_with(key + "."); });
  return rows;
}

std::vector<CounterpartMatch> find_counterparts(const Catalog& catalog, std::string_view name) {
  std::vector<CounterpartMatch> out;
  const std::string_view plain = without_scheme(name);
  for (const Platform& platform : catalog.platforms) {
    for (const Counterpart& counterpart : platform.counterparts) {
      if (counterpart.cuda == plain) out.push_back({&platform, &counterpart});
    }
  }
  return out;
}

}  // namespace accelport
