#include <string>
#include <string_view>

#include "syntax/command_line.h"
#include "syntax/reader.h"
#include "syntax/requirement.h"
#include "syntax/sink.h"

namespace accelport {
namespace {

/// Where the comment of a requirement line starts: "#" at the start or behind a blank.
std::uint32_t comment_start(std::string_view text, Span line) {
  for (std::uint32_t i = line.begin; i < line.end; ++i) {
    if (text[i] == '#' && (i == line.begin || is_ascii_space(text[i - 1]))) return i;
  }
  return line.end;
}

/// `--extra-index-url https://…`, `-f …`, `-r other.txt`: one site for the line, keyword the option.
void read_option(SiteSink& sink, Span body) {
  Site* site = sink.add(body, SiteKind::entry, Context::command_option);
  if (site == nullptr) return;
  const std::string_view text = sink.text(body);
  const std::size_t cut = std::min(text.find_first_of(" =\t"), text.size());
  site->keyword = std::string(text.substr(0, cut));
  site->value = std::string(trim(text.substr(std::min(cut + 1, text.size()))));
  site->flows |= Flow::path;
  if (site->keyword == "-e" || site->keyword == "--editable") {
    const std::string address = site->value;
    if (describe_requirement(address, *site)) site->value = address;
  }
}

/// pip's listing "torch   2.1.0+cu118" and conda's "pytorch 2.1 py3.9_cuda11.8 pytorch".
bool read_listing(SiteSink& sink, Span body) {
  const std::string_view text = sink.text(body);
  const std::size_t blank = text.find_first_of(" \t");
  if (blank == std::string_view::npos) return false;
  const std::string_view rest = trim(text.substr(blank));
  if (rest.empty() || !is_ascii_digit(rest.front())) return false;
  Site* site = sink.add(body, SiteKind::entry, Context::config_value);
  if (site == nullptr) return true;
  site->api = "package:" + canonical_package(text.substr(0, blank));
  site->value = std::string(rest);
  return true;
}

void read_requirement(SiteSink& sink, Span line) {
  const std::string_view text = sink.text();
  const std::uint32_t hash = comment_start(text, line);
  if (Site* site = sink.add(trim(text, {hash, line.end}), SiteKind::comment, Context::none))
    site->value = std::string(text.substr(hash, line.end - hash));
  Span body = trim(text, {line.begin, hash});
  if (body.begin < body.end && text[body.end - 1] == '\\') body = trim(text, {body.begin, body.end - 1});
  if (body.begin == body.end || !sink.touched(body)) return;
  if (text[body.begin] == '-') return read_option(sink, body);
  if (read_listing(sink, body)) return;
  Site* site = sink.add(body, SiteKind::entry, Context::config_value);
  if (site != nullptr && !describe_requirement(sink.text(body), *site)) site->value = std::string(sink.text(body));
}

}  // namespace

void read_requirements(const ReadInput& input, ReadOutput& output) {
  SiteSink sink(input, output);
  for_each_line(input.text, [&](const TextLine& line) {
    ++sink.statement;
    if (sink.touched(line.span)) read_requirement(sink, line.span);
  });
  sink.finish(SiteKind::text);
}

}  // namespace accelport
