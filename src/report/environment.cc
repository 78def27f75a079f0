#include "report/environment.h"

#include <fmt/core.h>

#include "base/text.h"
#include "report/style.h"
#include "report/wrap.h"

namespace accelport {
namespace {

constexpr int kLabelWidth = 10;

/// Writes one environment report, piece by piece.
class EnvironmentText {
 public:
  EnvironmentText(const TextStyle& style, const Sink& sink) : style_(style), paint_(style.colour), sink_(sink) {}

  void machine(const EnvironmentReport& report) const {
    sink_(paint_.bold(verdict(report)) + "\n\n");
    for (const auto& [label, text] : report.about) block(fmt::format("  {}", padded(label, kLabelWidth)), text);
    section(report, Weight::error, "wrong");
    section(report, Weight::warning, "may go wrong");
    if (!style_.quiet) notes(report);
  }

  void requirements(const EnvironmentAnswer& answer) const {
    const RequirementsCheck& check = *answer.requirements;
    const std::string path = escape_for_display(answer.requirements_path);
    sink_(paint_.bold(check.harmful.empty()
                          ? fmt::format("{}: nothing in it replaces the vendor's torch\n", path)
                          : fmt::format("{}: {} would harm the vendor's torch, or are for NVIDIA only\n", path,
                                        counted(check.harmful.size(), "line"))));
    for (const HarmfulLine& line : check.harmful) {
      sink_(fmt::format("\n  {}: {}\n", paint_.path(fmt::format("{}:{}", escape_for_display(line.path), line.line)),
                        escape_for_display(line.text)));
      block("      ", line.reason);
      block("      instead: ", line.instead);
    }
    for (const std::string& problem : check.problems) block("\n  not read: ", problem);
    sink_(paint_.bold("\nsafe to install beside the vendor's torch") +
          " (pip install --no-deps, or with the constraint torch==VERSION of it)\n");
    if (check.safe.empty()) sink_("  nothing is left\n");
    for (const std::string& line : check.safe) sink_(fmt::format("  {}\n", escape_for_display(line)));
  }

 private:
  static std::string verdict(const EnvironmentReport& report) {
    const std::size_t errors = report.count(Weight::error);
    const std::size_t warnings = report.count(Weight::warning);
    if (errors != 0)
      return fmt::format("{}: this machine cannot run a job for it; {} to mend", escape_for_display(report.title),
                         counted(errors, "thing"));
    if (warnings != 0)
      return fmt::format("{}: nothing stands against a job, {} to look at", escape_for_display(report.title),
                         counted(warnings, "thing"));
    return fmt::format("{}: nothing is wrong with this machine", escape_for_display(report.title));
  }

  /// `text` behind `head`, broken so that its lines stand below each other.
  void block(const std::string& head, std::string_view text) const {
    const int indent = display_width(head.substr(head.find_first_not_of('\n')));
    bool first = true;
    for (const std::string& line : wrapped(text, std::max(20, style_.width - indent))) {
      sink_((first ? head : std::string(static_cast<std::size_t>(indent), ' ')) + line + "\n");
      first = false;
    }
  }

  void section(const EnvironmentReport& report, Weight weight, std::string_view title) const {
    const std::size_t count = report.count(weight);
    if (count == 0) return;
    sink_(fmt::format("\n{}\n", paint_.bold(title)));
    int number = 0;
    for (const Finding& finding : report.findings) {
      if (finding.weight != weight) continue;
      block(fmt::format("{:3}. ", ++number), finding.cause);
      for (const std::string& line : finding.evidence) block("     seen: ", line);
      for (const std::string& line : finding.mend) block("     mend: ", line);
      if (style_.quiet) continue;
      block("     from: ", fmt::format("{} [{}]", finding.source, finding.id));
    }
  }

  void notes(const EnvironmentReport& report) const {
    if (report.count(Weight::note) == 0) return;
    sink_(fmt::format("\n{}\n", paint_.bold("worth knowing")));
    for (const Finding& finding : report.findings) {
      if (finding.weight != Weight::note) continue;
      std::string text = finding.cause;
      for (const std::string& line : finding.evidence)
        text += fmt::format("{} {}", &line == &finding.evidence.front() ? " --" : ";", line);
      for (const std::string& id : finding.semantic_facts) text += fmt::format(" [{}]", id);
      block("  - ", text);
    }
  }

  const TextStyle& style_;
  Painter paint_;
  const Sink& sink_;
};

}  // namespace

void write_environment_text(const EnvironmentAnswer& answer, const TextStyle& style, const Sink& sink) {
  const EnvironmentText text(style, sink);
  if (answer.machine != nullptr) text.machine(*answer.machine);
  if (answer.machine != nullptr && answer.requirements != nullptr) sink("\n");
  if (answer.requirements != nullptr) text.requirements(answer);
}

}  // namespace accelport
