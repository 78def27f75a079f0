#include <string>
#include <string_view>

#include "syntax/command_line.h"
#include "syntax/reader.h"
#include "syntax/requirement.h"
#include "syntax/sink.h"

namespace accelport {
namespace {

bool holds_requirements(std::string_view path) {
  return path.ends_with("install_requires") || path.ends_with("setup_requires") || path.ends_with("tests_require") ||
         path.find("extras_require.") != std::string_view::npos || path.ends_with(".deps") ||
         path.ends_with("requires");
}

/// ini, cfg, properties: sections, `key = value` with `key: value` as another spelling, indented lines as more of the
/// value.
class IniReader {
 public:
  explicit IniReader(SiteSink& sink) : sink_(sink) {}

  void read() {
    for_each_line(sink_.text(), [&](const TextLine& line) { read_line(line.span); });
  }

 private:
  void read_line(Span line);
  void read_pair(Span body);
  void read_value(Span span);
  std::string path() const { return section_.empty() ? key_ : section_ + "." + key_; }

  SiteSink& sink_;
  std::string section_;
  std::string key_;
};

void IniReader::read_line(Span line) {
  const std::string_view text = sink_.text();
  const Span body = trim(text, line);
  ++sink_.statement;
  if (body.begin == body.end) return;
  const char first = text[body.begin];
  if (first == '#' || first == ';' || (first == '!' && key_.empty())) {
    if (Site* site = sink_.add(body, SiteKind::comment, Context::none)) site->value = std::string(sink_.text(body));
    return;
  }
  if (first == '[' && text[body.end - 1] == ']') {
    section_ = std::string(sink_.text({body.begin + 1, body.end - 1}));
    key_.clear();
    if (Site* site = sink_.add(body, SiteKind::entry, Context::config_key)) {
      site->keyword = section_;
      site->value = section_;
    }
    return;
  }
  const bool continued = body.begin > line.begin && !key_.empty();
  if (continued) return read_value(body);
  read_pair(body);
}

void IniReader::read_pair(Span body) {
  const std::string_view text = sink_.text(body);
  const std::size_t cut = text.find_first_of("=:");
  if (cut == std::string_view::npos) {
    key_ = std::string(text);
    if (Site* site = sink_.add(body, SiteKind::entry, Context::config_key)) site->keyword = path();
    return;
  }
  key_ = std::string(trim(text.substr(0, cut)));
  const auto at = static_cast<std::uint32_t>(cut);
  const Span key = trim(sink_.text(), {body.begin, body.begin + at});
  const Span value = trim(sink_.text(), {body.begin + at + 1, body.end});
  if (Site* site = sink_.add(key, SiteKind::entry, Context::config_key)) {
    site->keyword = path();
    site->value = std::string(sink_.text(value));
  }
  read_value(value);
}

void IniReader::read_value(Span span) {
  if (!sink_.touched(span)) return;
  const std::string where = path();
  const std::string_view text = sink_.text(span);
  std::size_t name_size = 0;
  if ((key_ == "setenv" || key_ == "set_env" || key_ == "env" || key_ == "passenv") && is_assignment(text, name_size)) {
    add_variable(sink_, span, text.substr(0, name_size), trim(text.substr(text.find('=') + 1)), Context::set);
    return;
  }
  if (key_ == "commands" || key_ == "command" || key_ == "commands_pre") {
    CommandLine(sink_, split_words(text, span.begin)).emit();
    return;
  }
  Site* site = sink_.add(span, SiteKind::entry, Context::config_value);
  if (site == nullptr) return;
  site->keyword = where;
  if (holds_requirements(where) && describe_requirement(text, *site)) return;
  site->value = std::string(without_quotes(text));
}

}  // namespace

void read_ini(const ReadInput& input, ReadOutput& output) {
  SiteSink sink(input, output);
  IniReader(sink).read();
  sink.finish(SiteKind::text);
}

}  // namespace accelport
