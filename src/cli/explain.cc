#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/core.h>

#include "audit/run.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/explain.h"

namespace accelport {
namespace {

struct FileLine {
  std::string path;
  std::uint32_t line = 0;
};

/// "path:12" or "path:12:5", if the path exists.
std::optional<FileLine> as_place(const std::string& subject, const Files& files) {
  for (std::size_t colon = subject.rfind(':'); colon != std::string::npos && colon > 0;
       colon = subject.rfind(':', colon - 1)) {
    FileLine place{subject.substr(0, colon), 0};
    const auto parsed = std::from_chars(subject.data() + colon + 1, subject.data() + subject.size(), place.line);
    if (parsed.ec == std::errc{} && place.line > 0 && files.info(place.path)) return place;
  }
  return std::nullopt;
}

bool is_id(const std::string& subject) {
  return subject.size() == 16 && std::all_of(subject.begin(), subject.end(),
                                             [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

template <typename Wanted>
std::size_t write_occurrences(const Audit& audit, const TextStyle& style, const Sink& sink, Wanted wanted) {
  std::size_t written = 0;
  for (const AuditedFile& file : audit.files)
    for (const Occurrence& occurrence : file.occurrences) {
      if (!wanted(occurrence)) continue;
      if (written++ != 0) sink("\n");
      write_occurrence_text(file, occurrence, style, sink);
    }
  return written;
}

/// Leaves only the occurrences that are wanted, so that the other formats show just them.
template <typename Wanted>
void keep(Audit& audit, Wanted wanted) {
  for (AuditedFile& file : audit.files)
    file.occurrences.erase(
        std::remove_if(file.occurrences.begin(), file.occurrences.end(), [&](const auto& o) { return !wanted(o); }),
        file.occurrences.end());
  audit.files.erase(
      std::remove_if(audit.files.begin(), audit.files.end(), [](const auto& f) { return f.occurrences.empty(); }),
      audit.files.end());
}

class Explanation {
 public:
  Explanation(const ExplainCommand& command, const Catalog& catalog, const Sink& sink)
      : command_(command),
        catalog_(catalog),
        sink_(sink),
        style_{use_colour(command.common.colour, !command.common.output.empty()), terminal_width(), false,
               command.common.quiet} {}

  Result<int> run() {
    const std::string& subject = command_.subject;
    if (const auto place = as_place(subject, real_files()))
      return occurrences(
          place->path, [&](const Occurrence& o) { return o.line <= place->line && place->line <= o.end_line; },
          fmt::format("line {} has no occurrence", place->line));
    if (const Rule* rule = catalog_.find_rule(subject)) {
      json() ? write_rule_json(*rule, sink_) : write_rule_text(*rule, style_, sink_);
      return kExitClean;
    }
    if (is_id(subject))
      return occurrences(
          command_.root, [&](const Occurrence& o) { return o.id == subject; },
          fmt::format("no occurrence below {} has this id", command_.root));
    return api(subject);
  }

 private:
  bool json() const { return command_.common.format == Format::json; }

  template <typename Wanted>
  Result<int> occurrences(const std::string& root, Wanted wanted, const std::string& nothing) {
    AuditOptions options;
    options.roots = {root};
    options.platforms = command_.platforms;
    options.include = command_.common.include;
    options.exclude = command_.common.exclude;
    options.jobs = command_.common.jobs;
    TRY(Audit audit, run_audit(catalog_, options, real_files(), real_processes()));
    keep(audit, wanted);
    if (audit.files.empty()) return fail(Error::Kind::input, nothing, command_.subject);
    if (json()) {
      write_json(audit, catalog_, command_.common.jobs, sink_);
    } else {
      write_occurrences(audit, style_, sink_, wanted);
    }
    return kExitClean;
  }

  Result<int> api(const std::string& name) {
    TRY(const std::vector<const Platform*> platforms, chosen_platforms(catalog_, command_.platforms));
    const ApiExplanation explanation = explain_api(catalog_, name, platforms);
    if (!explanation.known()) {
      std::string hint;
      for (const std::string& similar : similar_apis(catalog_, name, 4))
        hint += (hint.empty() ? "did you mean " : ", ") + similar;
      return fail(Error::Kind::input, "no API, rule, occurrence or file:line of this name is known", name,
                  hint.empty() ? "" : hint + "?");
    }
    json() ? write_api_json(explanation, sink_) : write_api_text(explanation, style_, sink_);
    return kExitClean;
  }

  const ExplainCommand& command_;
  const Catalog& catalog_;
  const Sink& sink_;
  TextStyle style_;
};

}  // namespace

Result<int> run_explain_verb(const ExplainCommand& command) {
  TRY(const Catalog catalog, load_catalog(embedded_data()));
  Output output(command.common.output);
  const Sink sink = output.sink();
  TRY(const int code, Explanation(command, catalog, sink).run());
  TRY_DO(output.finish(real_files()));
  return code;
}

}  // namespace accelport
