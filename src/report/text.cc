#include <fmt/format.h>

#include "report/text_parts.h"
#include "report/wrap.h"

namespace accelport {
namespace {

/// Which files were read and which were not; the reasons only with `--files`.
void write_files(const TextPage& page) {
  const auto& [audit, summary, style, paint, sink] = page;
  if (!style.list_files) {
    if (audit.skipped.empty()) return;
    page.line();
    page.line(paint.dim(fmt::format("{} skipped (--files says why)", counted(audit.skipped.size(), "path"))));
    return;
  }
  if (!audit.skipped.empty()) {
    page.line();
    page.line(paint.bold("skipped"));
  }
  for (const SkippedFile& file : audit.skipped) {
    page.line("  " + fitted(file.path, style.width - 2));
    for (const std::string& part : wrapped(file.reason, style.width - 6)) page.line(paint.dim("      " + part));
  }
  page.line();
  page.line(paint.bold("read"));
  for (const std::string& path : audit.scanned_paths) page.line("  " + fitted(path, style.width - 2));
}

/// The report may be long: its end says once more what counts, and what to do next.
void write_close(const TextPage& page) {
  if (page.summary.needs_work == 0) return;
  page.line();
  const auto paragraph = [&](const std::string& text) {
    for (const std::string& part : wrapped(text, page.style.width)) page.line(part);
  };
  paragraph(fmt::format("{} to work on, {} of them would be changed by `port`.", grouped(page.summary.needs_work),
                        grouped(page.summary.changed_by_port)));
  paragraph("More on a place: accelport explain PATH:LINE");
}

}  // namespace

void write_text(const Audit& audit, const Catalog&, const TextStyle& style, const Sink& sink) {
  const Summary summary = summarise_project(audit);
  const Painter paint(style.colour);
  const TextPage page{audit, summary, style, paint, sink};
  write_text_summary(page);
  if (style.quiet) return;
  write_text_places(page);
  write_text_differences(page);
  write_text_packages(page);
  write_files(page);
  write_close(page);
}

}  // namespace accelport
