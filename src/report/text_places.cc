#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "report/text_parts.h"
#include "report/wrap.h"

namespace accelport {
namespace {

/// Below this many columns the text of an occurrence stands on a line of its own.
constexpr int kNarrow = 64;
constexpr int kLeastRoom = 24;

class PlacesPart {
 public:
  explicit PlacesPart(const TextPage& page) : page_(page), style_(page.style), paint_(page.paint) {
    for (int d = 0; d < kDecisions; ++d)
      if (page.summary.by_decision[d] != 0 && static_cast<Decision>(d) != Decision::ignore)
        decision_width_ = std::max(decision_width_, display_width(to_string(static_cast<Decision>(d))));
  }

  void run() {
    legend();
    for (int c = 0; c < kCategories; ++c) {
      const auto category = static_cast<Category>(c);
      if (category == Category::none || page_.summary.by_category[c] == 0) continue;
      page_.line();
      page_.line(paint_.bold(to_string(category)));
      for (const AuditedFile& file : page_.audit.files)
        if (file.package.empty()) file_block(file, category);
    }
  }

 private:
  /// What the marks in the lines below mean.
  void legend() {
    bool replaced = false, noted = false;
    for (const AuditedFile& file : page_.audit.files)
      for (const Occurrence& o : file.occurrences) {
        replaced |= !o.installed && !o.replacement.empty();
        noted |= !o.installed && !o.notes.empty();
      }
    std::string text = replaced ? "→ is what `port` would write" : "";
    if (noted) text += std::string(replaced ? "; " : "") + "what stands in [ ] is explained at the end";
    if (!text.empty()) page_.line();
    for (const std::string& part : wrapped(text, style_.width)) page_.line(paint_.dim(part));
  }

  void file_block(const AuditedFile& file, Category category) {
    place_width_ = 0;
    for (const Occurrence& o : file.occurrences)
      if (o.category == category) place_width_ = std::max(place_width_, static_cast<int>(place(o).size()));
    if (place_width_ == 0) return;
    page_.line("  " + paint_.path(fitted(file.path, style_.width - 2)));
    last_reason_.clear();
    for (const Occurrence& o : file.occurrences)
      if (o.category == category) occurrence(o);
  }

  static std::string place(const Occurrence& o) { return fmt::format("{}:{}", o.line, o.column); }

  void occurrence(const Occurrence& o) {
    const bool narrow = style_.width < kNarrow;
    const int indent = narrow ? 6 : 4 + place_width_ + 2 + decision_width_ + 2;
    const std::string head = fmt::format(
        "    {}  {}", paint_.dim(std::string(static_cast<std::size_t>(place_width_) - place(o).size(), ' ') + place(o)),
        paint_.decision(o.decision,
                        narrow ? std::string(to_string(o.decision)) : padded(to_string(o.decision), decision_width_)));
    const std::string margin(static_cast<std::size_t>(indent), ' ');
    page_.line(narrow ? head + "\n" + margin + shown_text(o, margin) : head + "  " + shown_text(o, margin));
    reason(o, margin);
  }

  /// The text and what `port` would write for it; on a line of its own if both are too long for one.
  std::string shown_text(const Occurrence& o, const std::string& margin) const {
    const int room = std::max(kLeastRoom, style_.width - static_cast<int>(margin.size()));
    const std::string mark = note_names(o) + (o.confidence == Confidence::guess ? "  a guess" : "");
    const std::string text = fitted(o.text, std::max(kLeastRoom / 2, room - display_width(mark)));
    const std::string first = text + paint_.dim(mark);
    if (o.replacement.empty()) return first;
    const std::string replacement = paint_.dim("→ ") + fitted(o.replacement, room - 2);
    if (display_width(text) + display_width(mark) + 3 + display_width(escape_for_display(o.replacement)) <= room)
      return text + " " + replacement + paint_.dim(mark);
    return first + "\n" + margin + replacement;
  }

  /// Said once for a run of occurrences with the same one.
  void reason(const Occurrence& o, const std::string& margin) {
    std::string text = o.reason;
    if (!o.decided_by.empty())
      text += fmt::format(" (decided in {})", o.decided_by == "comment" ? "a comment" : o.decided_by);
    if (text == last_reason_) return;
    for (const std::string& part : wrapped(text, style_.width - static_cast<int>(margin.size())))
      page_.line(margin + paint_.dim(part));
    last_reason_ = std::move(text);
  }

  /// "  [A7 A8]": where to look in the list of differences; with the platforms' names if there are several.
  std::string note_names(const Occurrence& o) const {
    std::string names;
    const Platform* last = page_.audit.platforms.size() == 1 ? page_.audit.platforms[0] : nullptr;
    for (const Note& note : o.notes) {
      names += (names.empty() ? "  [" : " ") + (note.platform != last ? note.platform->name + " " : std::string()) +
               note.fact->id;
      last = note.platform;
    }
    return names.empty() ? names : names + "]";
  }

  const TextPage& page_;
  const TextStyle& style_;
  const Painter& paint_;
  int decision_width_ = 0;
  int place_width_ = 0;
  std::string last_reason_;
};

}  // namespace

void write_text_places(const TextPage& page) { PlacesPart(page).run(); }

}  // namespace accelport
