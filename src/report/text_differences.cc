#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "report/text_parts.h"
#include "report/wrap.h"

namespace accelport {
namespace {

/// Below this many columns the text stands below its heading.
constexpr int kNarrow = 64;

/// A fact and how many occurrences it is about.
struct Difference {
  const SemanticFact* fact = nullptr;
  std::uint64_t places = 0;
};

/// Smaller is worse: what nobody notices before what stops, and that before what says so.
int danger(Severity severity) {
  switch (severity) {
    case Severity::silent:
      return 0;
    case Severity::hang:
      return 1;
    case Severity::error:
      return 2;
    case Severity::none:
      break;
  }
  return 3;
}

std::vector<Difference> differences_on(const Platform& platform, const Audit& audit) {
  std::vector<Difference> found;
  for (const AuditedFile& file : audit.files)
    for (const Occurrence& o : file.occurrences)
      for (const Note& note : o.notes) {
        if (note.platform != &platform || o.installed) continue;
        const auto known =
            std::find_if(found.begin(), found.end(), [&](const Difference& d) { return d.fact == note.fact; });
        known != found.end() ? void(++known->places) : found.push_back({note.fact, 1});
      }
  std::stable_sort(found.begin(), found.end(), [](const Difference& a, const Difference& b) {
    const int left = danger(a.fact->severity), right = danger(b.fact->severity);
    return left != right ? left < right : a.places > b.places;
  });
  return found;
}

std::string severity_name(const Painter& paint, Severity severity) {
  const std::string name = padded(severity == Severity::none ? "to know" : to_string(severity), 7);
  return danger(severity) < 2 ? paint.decision(Decision::unsupported, name) : name;
}

void write_difference(const TextPage& page, const Difference& difference) {
  const std::string text = fmt::format("{} ({}{})", difference.fact->text, counted(difference.places, "place"),
                                       difference.fact->verified ? "" : "; not verified");
  const std::string head =
      fmt::format("  {}  {}", padded(difference.fact->id, 4), severity_name(page.paint, difference.fact->severity));
  const bool narrow = page.style.width < kNarrow;
  const std::string margin(narrow ? 6 : 17, ' ');
  bool first = true;
  for (const std::string& part : wrapped(text, page.style.width - static_cast<int>(margin.size()))) {
    page.line(!first ? margin + part : narrow ? head + "\n" + margin + part : head + "  " + part);
    first = false;
  }
}

}  // namespace

void write_text_differences(const TextPage& page) {
  for (const Platform* platform : page.audit.platforms) {
    const std::vector<Difference> found = differences_on(*platform, page.audit);
    if (found.empty()) continue;
    page.line();
    page.line(page.paint.bold("what differs on " + platform->name));
    for (const Difference& difference : found) write_difference(page, difference);
  }
}

}  // namespace accelport
