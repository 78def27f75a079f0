#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/parallel.h"
#include "base/version.h"
#include "report/report.h"
#include "report/summary.h"

namespace accelport {
namespace {

/// Occurrences that one thread formats at a time; the pieces are written in order.
constexpr std::size_t kPiece = 4096;

void append_key(std::string& out, std::string_view key) {
  append_json_string(out, key);
  out += ':';
}

void append_text(std::string& out, std::string_view key, std::string_view value) {
  append_key(out, key);
  append_json_string(out, value);
}

void append_text_or_null(std::string& out, std::string_view key, std::string_view value) {
  append_key(out, key);
  if (value.empty()) {
    out += "null";
  } else {
    append_json_string(out, value);
  }
}

template <typename Number>
void append_number(std::string& out, std::string_view key, Number value) {
  append_key(out, key);
  const fmt::format_int digits(value);
  out.append(digits.data(), digits.size());
}

template <typename Enum, std::size_t N>
void append_counts(std::string& out, std::string_view key, const std::array<std::uint64_t, N>& counts) {
  append_key(out, key);
  for (std::size_t i = 0; i < N; ++i) {
    out += i == 0 ? '{' : ',';
    append_number(out, to_string(static_cast<Enum>(i)), counts[i]);
  }
  out += '}';
}

/// A note's JSON, made once per fact: the same facts stand at thousands of occurrences.
using NoteTexts = std::unordered_map<const SemanticFact*, std::string>;

NoteTexts note_texts(const Audit& audit) {
  NoteTexts texts;
  for (const Platform* platform : audit.platforms)
    for (const SemanticFact& fact : platform->facts) {
      std::string& out = texts[&fact];
      out += '{';
      append_text(out, "platform", platform->name);
      append_text(out += ',', "fact", fact.id);
      append_text(out += ',', "severity", to_string(fact.severity));
      append_text(out += ',', "text", fact.text);
      append_text(out += ',', "source", fact.source);
      out += '}';
    }
  return texts;
}

void append_notes(std::string& out, const std::vector<Note>& notes, const NoteTexts& texts) {
  append_key(out, "notes");
  out += '[';
  for (std::size_t i = 0; i < notes.size(); ++i) {
    if (i != 0) out += ',';
    out += texts.at(notes[i].fact);
  }
  out += ']';
}

void append_place(std::string& out, const Occurrence& o) {
  append_number(out, "line", o.line);
  append_number(out += ',', "column", o.column);
  append_number(out += ',', "end_line", o.end_line);
  append_number(out += ',', "end_column", o.end_column);
  if (o.cell < 0) return;
  append_number(out += ',', "cell", o.cell);
  append_number(out += ',', "cell_line", o.cell_line);
}

void append_decision(std::string& out, const Occurrence& o) {
  append_text(out, "category", to_string(o.category));
  append_text(out += ',', "decision", to_string(o.decision));
  append_text_or_null(out += ',', "means", o.means == Means::null ? std::string_view() : to_string(o.means));
  append_text(out += ',', "confidence", to_string(o.confidence));
  append_text_or_null(out += ',', "rule", o.rule == nullptr ? std::string_view() : std::string_view(o.rule->id));
  append_text(out += ',', "reason", o.reason);
  if (!o.decided_by.empty()) append_text(out += ',', "decided_by", o.decided_by);
  append_key(out += ',', "port");
  append_text(out += '{', "action", to_string(o.action));
  append_text_or_null(out += ',', "replacement", o.replacement);
  out += '}';
}

void append_occurrence(std::string& out, const std::string& path, const Occurrence& o, const NoteTexts& texts) {
  append_text(out += '{', "id", o.id);
  append_key(out += ',', "path");
  append_json_path(out, path);
  append_place(out += ',', o);
  append_text(out += ',', "text", o.text);
  append_text_or_null(out += ',', "api", o.api);
  append_decision(out += ',', o);
  append_notes(out += ',', o.notes, texts);
  append_text_or_null(out += ',', "group", o.group);
  append_number(out += ',', "hits", o.hits);
  append_text(out += ',', "phase", to_string(o.phase));
  append_text(out += ',', "effort", to_string(o.effort));
  if (o.baseline) out += ",\"baseline\":true";
  out += '}';
}

std::string head(const Audit& audit, const Catalog& catalog) {
  const Summary summary = summarise(audit);
  std::string out = "{\"schema\":\"accelport.audit/1\",\"tool\":{\"name\":\"accelport\",";
  append_text(out, "version", version());
  out += "},\"platforms\":[";
  for (std::size_t i = 0; i < audit.platforms.size(); ++i)
    append_json_string(i == 0 ? out : out += ',', audit.platforms[i]->name);
  out += "],\n\"files\":{";
  append_number(out, "scanned", audit.scanned);
  append_number(out += ',', "bytes", audit.bytes);
  append_number(out += ',', "lines", audit.lines);
  out += ",\"skipped\":[";
  for (std::size_t i = 0; i < audit.skipped.size(); ++i) {
    out += i == 0 ? "\n{\"path\":" : ",\n{\"path\":";
    append_json_path(out, audit.skipped[i].path);
    append_text(out += ',', "reason", audit.skipped[i].reason);
    out += '}';
  }
  out += "]},\n\"terms\":[";
  for (std::size_t i = 0; i < catalog.terms.size(); ++i) {
    append_text(out += i == 0 ? "{" : ",{", "term", catalog.terms[i].text);
    append_number(out += ',', "hits", audit.term_hits[i]);
    out += '}';
  }
  append_number(out += "],\n\"summary\":{", "occurrences", summary.occurrences);
  append_counts<Category>(out += ',', "by_category", summary.by_category);
  append_counts<Decision>(out += ',', "by_decision", summary.by_decision);
  append_number(out += ',', "changed_by_port", summary.changed_by_port);
  append_counts<Effort>(out += ',', "effort", summary.effort);
  append_counts<Phase>(out += ',', "by_phase", summary.by_phase);
  append_number(out += ',', "guesses", summary.guesses);
  append_number(out += ',', "known_from_baseline", audit.baseline_matched);
  append_number(out += ',', "decisions_made_elsewhere", audit.foreign_decisions);
  return out += "},\n\"occurrences\":[";
}

/// Runs of files that hold about kPiece occurrences each.
std::vector<std::pair<std::size_t, std::size_t>> pieces_of(const std::vector<AuditedFile>& files) {
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  for (std::size_t begin = 0; begin < files.size();) {
    std::size_t end = begin, size = 0;
    while (end < files.size() && size < kPiece) size += files[end++].occurrences.size();
    pieces.emplace_back(begin, end);
    begin = end;
  }
  return pieces;
}

}  // namespace

void write_json(const Audit& audit, const Catalog& catalog, int jobs, const Sink& sink) {
  sink(head(audit, catalog));
  const NoteTexts texts = note_texts(audit);
  const auto pieces = pieces_of(audit.files);
  const auto threads = static_cast<std::size_t>(thread_count(jobs));
  for (std::size_t base = 0; base < pieces.size(); base += threads) {
    std::vector<std::string> written(std::min(threads, pieces.size() - base));
    parallel_for(written.size(), static_cast<int>(threads), [&](std::size_t i, int) {
      for (std::size_t f = pieces[base + i].first; f < pieces[base + i].second; ++f)
        for (const Occurrence& occurrence : audit.files[f].occurrences) {
          const bool first = f == 0 && &occurrence == audit.files[0].occurrences.data();
          append_occurrence(written[i] += first ? "\n" : ",\n", audit.files[f].path, occurrence, texts);
        }
    });
    for (const std::string& piece : written) sink(piece);
  }
  sink("]}\n");
}

}  // namespace accelport
