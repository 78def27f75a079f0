#pragma once

#include <string_view>

#include "report/report.h"
#include "report/style.h"
#include "report/summary.h"

namespace accelport {

/// What the parts of the report for people share.
struct TextPage {
  const Audit& audit;
  const Summary& summary;
  const TextStyle& style;
  const Painter& paint;
  const Sink& sink;

  void line(std::string_view text = {}) const {
    sink(text);
    sink("\n");
  }
};

/// The numbers: what was found, by category and decision, how much work it is and where most of it lies.
void write_text_summary(const TextPage& page);

/// Every dependency by category and file, one line each with the reason below it.
void write_text_places(const TextPage& page);

/// What the interfaces in use do differently on each platform, each fact once, the most dangerous first.
void write_text_differences(const TextPage& page);

/// The installed packages that were read, those with most dependencies first.
void write_text_packages(const TextPage& page);

}  // namespace accelport
