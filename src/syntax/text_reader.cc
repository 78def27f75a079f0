#include "syntax/reader.h"
#include "syntax/sink.h"

namespace accelport {
namespace {

constexpr std::string_view kProseEndings[] = {".txt", ".text", ".md",  ".adoc", ".asciidoc",
                                              ".org", ".tex",  ".rtf", ".bib"};

bool is_prose(const ReadInput& input) {
  if (has(input.kind.roles, FileRole::docs | FileRole::licence | FileRole::changelog)) return true;
  const std::string_view name = last_component(input.path);
  if (name.find('.') == std::string_view::npos) return true;
  for (const std::string_view ending : kProseEndings) {
    if (name.ends_with(ending)) return true;
  }
  return false;
}

}  // namespace

void read_text(const ReadInput& input, ReadOutput& output) {
  SiteSink sink(input, output);
  sink.finish(is_prose(input) ? SiteKind::prose : SiteKind::text);
}

}  // namespace accelport
