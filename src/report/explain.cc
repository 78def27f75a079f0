#include "report/explain.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/text.h"
#include "report/style.h"
#include "report/wrap.h"

namespace accelport {
namespace {

constexpr std::string_view kCounterpartKinds[] = {"variable", "tool", "option", "library", "package", "path"};

const Counterpart* find_counterpart(const Platform& platform, std::string_view name) {
  const std::size_t colon = name.find(':');
  const std::string_view bare = colon == std::string_view::npos ? name : name.substr(colon + 1);
  for (const std::string_view kind : kCounterpartKinds)
    if (const Counterpart* found = platform.find_counterpart(kind, bare)) return found;
  return nullptr;
}

std::string indented(std::string_view text, int width, int indent) {
  std::string out;
  for (const std::string& line : wrapped(text, width - indent))
    out += std::string(static_cast<std::size_t>(indent), ' ') + line + "\n";
  return out;
}

/// "  label          text", further lines of the text below its first.
std::string labelled(std::string_view label, std::string_view text, int width) {
  constexpr int kIndent = 17;
  std::string out;
  for (const std::string& line : wrapped(text, width - kIndent)) {
    out += out.empty() ? fmt::format("  {} ", padded(label, kIndent - 3)) : std::string(kIndent, ' ');
    out += line + "\n";
  }
  return out;
}

/// Edit distance, given up above `limit`.
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row.back();
}

void write_platform_text(const ApiExplanation::OnPlatform& on, const TextStyle& style, const Sink& sink) {
  const Painter paint(style.colour);
  sink(paint.bold("on " + on.platform->name) + "\n");
  if (on.row != nullptr) {
    sink(labelled("its own name", on.row->target, style.width));
    sink(labelled("neutral",
                  on.row->neutral + (on.row->neutral_since.empty() ? "" : " (torch " + on.row->neutral_since + ")"),
                  style.width));
    sink(labelled("status", on.row->status, style.width));
    sink(labelled("note", on.row->note, style.width));
    if (!style.quiet) sink(paint.dim(labelled("source", on.row->source, style.width)));
  }
  if (on.counterpart != nullptr) {
    sink(labelled("counterpart", on.counterpart->target.empty() ? "none" : on.counterpart->target, style.width));
    sink(labelled("note", on.counterpart->note, style.width));
    if (!style.quiet) sink(paint.dim(labelled("source", on.counterpart->source, style.width)));
  }
  for (const SemanticFact* fact : on.facts) {
    sink(fmt::format("  {} ({}{})\n", fact->id, to_string(fact->severity), fact->verified ? "" : ", not verified"));
    sink(indented(fact->text, style.width, 4));
    if (!style.quiet) sink(paint.dim(indented("source: " + fact->source, style.width, 4)));
  }
  if (on.row == nullptr && on.counterpart == nullptr && on.facts.empty()) sink("  nothing is known\n");
}

void text_member(std::string& out, std::string_view key, std::string_view value) {
  append_json_string(out, key);
  out += ':';
  append_json_string(out, value);
}

void append_row(std::string& out, const ApiRow& row) {
  text_member(out += "\"row\":{", "target", row.target);
  text_member(out += ',', "neutral", row.neutral);
  text_member(out += ',', "neutral_since", row.neutral_since);
  text_member(out += ',', "status", row.status);
  text_member(out += ',', "note", row.note);
  text_member(out += ',', "source", row.source);
  out += '}';
}

void append_facts(std::string& out, const std::vector<const SemanticFact*>& facts) {
  out += "\"facts\":[";
  for (std::size_t i = 0; i < facts.size(); ++i) {
    text_member(out += i == 0 ? "{" : ",{", "id", facts[i]->id);
    text_member(out += ',', "severity", to_string(facts[i]->severity));
    text_member(out += ',', "text", facts[i]->text);
    text_member(out += ',', "source", facts[i]->source);
    out += '}';
  }
  out += ']';
}

}  // namespace

bool ApiExplanation::known() const {
  return std::any_of(platforms.begin(), platforms.end(), [](const OnPlatform& on) {
    return on.row != nullptr || on.counterpart != nullptr || !on.facts.empty();
  });
}

ApiExplanation explain_api(const Catalog&, std::string_view name, const std::vector<const Platform*>& platforms) {
  ApiExplanation explanation;
  explanation.name = name;
  for (const Platform* platform : platforms)
    explanation.platforms.push_back(
        {platform, platform->find_api(name), platform->facts_for(name), find_counterpart(*platform, name)});
  return explanation;
}

std::vector<std::string> similar_apis(const Catalog& catalog, std::string_view name, std::size_t limit) {
  constexpr std::size_t kFar = 6;
  std::vector<std::pair<std::size_t, std::string>> close;
  for (const Platform& platform : catalog.platforms)
    for (const ApiRow& row : platform.api) {
      const bool contained = name.size() >= 4 && row.cuda.find(name) != std::string::npos;
      const std::size_t far = contained ? 1 : distance(name, row.cuda, kFar);
      if (far <= kFar) close.emplace_back(far, row.cuda);
    }
  std::sort(close.begin(), close.end());
  std::vector<std::string> names;
  for (const auto& [far, row] : close)
    if (names.size() < limit && std::find(names.begin(), names.end(), row) == names.end()) names.push_back(row);
  return names;
}

void write_api_text(const ApiExplanation& explanation, const TextStyle& style, const Sink& sink) {
  sink(Painter(style.colour).bold(escape_for_display(explanation.name)) + "\n");
  for (const ApiExplanation::OnPlatform& on : explanation.platforms) write_platform_text(on, style, sink);
}

void write_api_json(const ApiExplanation& explanation, const Sink& sink) {
  std::string out = "{\"schema\":\"accelport.explain/1\",";
  text_member(out, "api", explanation.name);
  out += ",\"platforms\":[";
  for (std::size_t i = 0; i < explanation.platforms.size(); ++i) {
    const ApiExplanation::OnPlatform& on = explanation.platforms[i];
    text_member(out += i == 0 ? "{" : ",{", "platform", on.platform->name);
    out += ',';
    if (on.row != nullptr) append_row(out, *on.row), out += ',';
    if (on.counterpart != nullptr) {
      text_member(out += "\"counterpart\":{", "target", on.counterpart->target);
      text_member(out += ',', "note", on.counterpart->note);
      text_member(out += ',', "source", on.counterpart->source);
      out += "},";
    }
    append_facts(out, on.facts);
    out += '}';
  }
  sink(out + "]}\n");
}

void write_rule_text(const Rule& rule, const TextStyle& style, const Sink& sink) {
  const Painter paint(style.colour);
  sink(paint.bold(rule.id) + "\n" + indented(rule.summary, style.width, 2));
  if (!rule.why.empty() && !style.quiet) sink(indented(rule.why, style.width, 2));
  sink("  decides, the first that holds:\n");
  for (const Outcome& outcome : rule.outcomes) {
    sink(fmt::format("    {}/{} ({})\n", to_string(outcome.category), to_string(outcome.decision),
                     to_string(outcome.confidence)));
    sink(paint.dim(indented(outcome.reason, style.width, 6)));
  }
  if (!rule.source.empty() && !style.quiet) sink(paint.dim(indented("source: " + rule.source, style.width, 2)));
}

void write_rule_json(const Rule& rule, const Sink& sink) {
  std::string out = "{\"schema\":\"accelport.explain/1\",";
  text_member(out, "rule", rule.id);
  text_member(out += ',', "summary", rule.summary);
  text_member(out += ',', "why", rule.why);
  out += ",\"outcomes\":[";
  for (std::size_t i = 0; i < rule.outcomes.size(); ++i) {
    const Outcome& outcome = rule.outcomes[i];
    text_member(out += i == 0 ? "{" : ",{", "category", to_string(outcome.category));
    text_member(out += ',', "decision", to_string(outcome.decision));
    text_member(out += ',', "confidence", to_string(outcome.confidence));
    text_member(out += ',', "reason", outcome.reason);
    out += '}';
  }
  sink(out + "]}\n");
}

void write_occurrence_text(const AuditedFile& file, const Occurrence& o, const TextStyle& style, const Sink& sink) {
  const Painter paint(style.colour);
  sink(fmt::format("{} {}\n", paint.path(escape_for_display(fmt::format("{}:{}:{}", file.path, o.line, o.column))),
                   paint.bold(fitted(o.text, style.width - 24))));
  sink(labelled("decision",
                fmt::format("{}/{} ({}{})", to_string(o.category), to_string(o.decision), to_string(o.confidence),
                            o.decided_by.empty() ? "" : ", decided by " + o.decided_by),
                style.width));
  sink(labelled("api", o.api, style.width));
  sink(labelled("replacement", o.replacement, style.width));
  sink(labelled("rule", o.rule == nullptr ? "" : o.rule->id, style.width));
  sink(labelled("id", o.id, style.width));
  sink(indented(o.reason, style.width, 2));
  if (o.rule != nullptr && !style.quiet) sink(paint.dim(indented(o.rule->why, style.width, 2)));
  for (const Note& note : o.notes) {
    sink(indented(fmt::format("on {}, {} ({}): {}", note.platform->name, note.fact->id, to_string(note.fact->severity),
                              note.fact->text),
                  style.width, 2));
    if (!style.quiet) sink(paint.dim(indented("source: " + note.fact->source, style.width, 4)));
  }
}

}  // namespace accelport
