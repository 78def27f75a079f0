#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "edit/beside_file.h"
#include "syntax/dockerfile_lines.h"

namespace accelport {
namespace {

constexpr std::string_view kImage = "image:";
constexpr std::string_view kVariable = "env:";

std::string argument_name(std::string_view platform) {
  std::string name;
  for (const char c : platform) name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name + "_IMAGE";
}

/// One part of the file and what becomes of it.
struct Part {
  DockerPart source;
  std::vector<const Occurrence*> bound;
  std::vector<std::pair<Span, std::string>> edits;  // by position
  std::vector<std::string> comments;                // lines above, without "# "
  std::vector<const Occurrence*> open;
  bool left_out = false;
  bool own_argument = false;  // an ARG that names the image itself
};

class Dockerfile {
 public:
  explicit Dockerfile(const BesideSource& source) : source_(source), text_(source.text) {}

  BesideText run();

 private:
  std::string_view body(const Part& part) const { return trim(slice(text_, part.source.span)); }
  void split();
  std::string argument_for(std::string_view image);
  void take_images();
  void take_argument_images();
  void take_variables();
  bool rename(Part& part, const Occurrence& occurrence);
  bool is_single(const Part& part) const;
  bool is_read_elsewhere(std::string_view name, const Part& except) const;
  void keep_open();
  void name_lists();
  std::string problem() const;
  std::string written() const;
  std::string part_text(const Part& part) const;

  const BesideSource& source_;
  std::string_view text_;
  std::vector<Part> parts_;
  std::vector<std::pair<std::string, std::string>> images_;  // image for CUDA, argument
  std::string first_argument_;
};

bool is_word(std::string_view text, std::size_t begin, std::size_t end) {
  return (begin == 0 || !is_word_byte(text[begin - 1])) && (end >= text.size() || !is_word_byte(text[end]));
}

/// Whether `text` reads the variable: $NAME, ${NAME}, ${NAME:-x}.
bool reads(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    if (!is_word(text, at, at + name.size()) || at == 0) continue;
    if (text[at - 1] == '$' || (at > 1 && text[at - 1] == '{' && text[at - 2] == '$')) return true;
  }
  return false;
}

/// "ARG NAME=value" → NAME.
std::string_view argument_of(std::string_view body) {
  body = trim(body.substr(std::min<std::size_t>(3, body.size())));
  return body.substr(0, body.find_first_of("= \t\r\n\\"));
}

/// The image of a FROM.
std::string_view image_of(std::string_view body) {
  body = trim(body.substr(std::min<std::size_t>(4, body.size())));
  while (body.starts_with("--")) {
    const std::size_t blank = body.find_first_of(" \t");
    if (blank == std::string_view::npos) return {};
    body = trim(body.substr(blank));
  }
  return body.substr(0, body.find_first_of(" \t\r\n"));
}

void Dockerfile::split() {
  for (DockerPart& part : docker_parts(text_)) parts_.push_back({std::move(part), {}, {}, {}, {}, false, false});
  std::size_t k = 0;
  for (const Occurrence* occurrence : source_.bound) {
    while (k < parts_.size() && parts_[k].source.span.end <= occurrence->span.begin) ++k;
    if (k < parts_.size() && !parts_[k].source.name.empty()) parts_[k].bound.push_back(occurrence);
  }
}

/// The argument that names the platform's image where that one stood.
std::string Dockerfile::argument_for(std::string_view image) {
  for (const auto& [known, argument] : images_)
    if (known == image) return argument;
  std::string argument = argument_name(source_.platform.name);
  if (!images_.empty()) argument += fmt::format("_{}", images_.size() + 1);
  images_.push_back({std::string(image), argument});
  return argument;
}

void Dockerfile::take_images() {
  for (Part& part : parts_) {
    if (part.source.name != "from") continue;
    for (const Occurrence* occurrence : part.bound) {
      const std::string_view image = slice(text_, occurrence->span);
      if (!occurrence->api.starts_with(kImage) || image != image_of(body(part))) continue;
      const std::string argument = argument_for(image);
      part.comments.push_back(fmt::format("in place of {}", image));
      part.edits.push_back({occurrence->span, fmt::format("${{{}}}", argument)});
      if (first_argument_.empty()) first_argument_ = argument;
    }
    std::erase_if(part.bound,
                  [&](const Occurrence* o) { return !part.edits.empty() && o->span == part.edits[0].first; });
  }
}

/// Arguments before the first FROM: one that is an image loses its default, one that is only a part of the name of an
/// image for CUDA goes.
void Dockerfile::take_argument_images() {
  for (Part& part : parts_) {
    if (part.source.name == "from") return;
    if (part.source.name != "arg" || part.bound.empty() || !is_single(part)) continue;
    const std::string name(argument_of(body(part)));
    const auto is_image = [&](const Part& other) {
      const std::string_view image = other.source.name == "from" ? image_of(body(other)) : std::string_view();
      return other.edits.empty() && (image == fmt::format("${{{}}}", name) || image == "$" + name);
    };
    const std::string_view whole = body(part);
    const std::size_t equals = whole.find('=');
    if (std::any_of(parts_.begin(), parts_.end(), is_image) && equals != std::string_view::npos) {
      part.comments.push_back(fmt::format("in place of {}", whole.substr(equals + 1)));
      const auto begin = static_cast<std::uint32_t>(whole.data() - text_.data() + equals);
      part.edits.push_back({{begin, begin + static_cast<std::uint32_t>(whole.size() - equals)}, ""});
      part.own_argument = true;
      part.bound.clear();
      if (first_argument_.empty()) first_argument_ = name;
    }
  }
}

/// Whether the instruction sets one variable and nothing else.
bool Dockerfile::is_single(const Part& part) const {
  if (part.bound.empty() || (part.source.name != "env" && part.source.name != "arg")) return false;
  const std::string_view whole = body(part);
  const std::string_view rest = trim(whole.substr(std::min<std::size_t>(3, whole.size())));
  return std::any_of(part.bound.begin(), part.bound.end(),
                     [&](const Occurrence* o) { return slice(text_, o->span) == rest; });
}

bool Dockerfile::is_read_elsewhere(std::string_view name, const Part& except) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const Part& other) {
    if (&other == &except || other.source.name.empty() || other.left_out) return false;
    std::string now;  // what is replaced in it reads nothing
    std::uint32_t at = other.source.span.begin;
    for (const auto& [span, text] : other.edits) {
      now.append(text_.substr(at, span.begin - at));
      at = span.end;
    }
    now.append(text_.substr(at, other.source.span.end - at));
    const bool declared = other.source.name == "arg" && argument_of(trim(now)) == name;
    return declared || reads(now, name);
  });
}

/// NAME=value with the platform's name for the same setting, if the value can stay.
bool Dockerfile::rename(Part& part, const Occurrence& occurrence) {
  const std::string_view api = occurrence.api;
  const Counterpart* counterpart = counterpart_of(source_.platform, occurrence);
  if (counterpart == nullptr || counterpart->target.empty() || !counterpart->note.empty()) return false;
  const std::string_view name = api.substr(kVariable.size());
  const std::string_view set = slice(text_, occurrence.span);
  if (!set.starts_with(name) || !is_word(set, 0, name.size()) || is_read_elsewhere(name, part)) return false;
  std::string value(set.substr(name.size()));
  if (contains_ignoring_case(value, "cuda") || contains_ignoring_case(value, "nvidia")) {
    const std::string_view path = trim(std::string_view(value).substr(std::min<std::size_t>(1, value.size())));
    const Counterpart* place = source_.platform.find_counterpart("path", path);
    if (place == nullptr || place->target.empty()) return false;
    value = value.substr(0, 1) + place->target;
  }
  part.edits.push_back({occurrence.span, counterpart->target + value});
  return true;
}

void Dockerfile::take_variables() {
  for (Part& part : parts_) {
    if (part.source.name != "env" && part.source.name != "arg") continue;
    std::erase_if(part.bound, [&](const Occurrence* o) { return o->api.starts_with(kVariable) && rename(part, *o); });
    part.left_out = part.edits.empty() && is_single(part);
  }
  // One that a kept instruction reads must stay itself, and may read others.
  for (bool changed = true; changed;) {
    changed = false;
    for (Part& part : parts_) {
      if (!part.left_out) continue;
      std::string_view set = trim(body(part).substr(3));
      if (!is_read_elsewhere(set.substr(0, set.find_first_of("= \t")), part)) continue;
      part.left_out = false;
      changed = true;
    }
  }
  for (Part& part : parts_) {
    if (!part.left_out) continue;
    for (const Occurrence* o : part.bound) part.comments.push_back("left out: " + reason_beside(source_, *o));
    part.bound.clear();
  }
}

void Dockerfile::keep_open() {
  for (Part& part : parts_) {
    for (const Occurrence* o : part.bound) {
      std::string text;
      for (const char c : o->text.substr(0, 80)) text += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
      std::string comment = fmt::format("check: {}: {}", text, reason_beside(source_, *o));
      if (std::find(part.comments.begin(), part.comments.end(), comment) == part.comments.end())
        part.comments.push_back(std::move(comment));
      part.open.push_back(o);
    }
  }
}

/// Steps that install a list which has another one for the platform.
void Dockerfile::name_lists() {
  for (Part& part : parts_) {
    if (part.source.name != "run" && part.source.name != "copy" && part.source.name != "add") continue;
    const std::string_view whole = body(part);
    std::set<std::string_view> named;
    for (std::size_t at = 0; at < whole.size();) {
      const std::size_t begin = std::min(whole.find_first_not_of(" \t\r\n\\;&|\"'=,[]", at), whole.size());
      const std::size_t end = std::min(whole.find_first_of(" \t\r\n\\;&|\"'=,[]", begin), whole.size());
      at = end;
      const std::string_view word = whole.substr(begin, end - begin);
      if (word.find('.') == std::string_view::npos || !named.insert(word).second) continue;
      if (const std::string* other = source_.included(word); other != nullptr && !other->empty())
        part.comments.push_back(fmt::format("check: the platform's list beside {} is {}", word, *other));
    }
  }
}

/// Why no file is proposed; empty if one is.
std::string Dockerfile::problem() const {
  std::size_t open = 0, all = 0;
  for (const Part& part : parts_) {
    all += part.source.name.empty() ? 0 : 1;
    open += part.open.empty() ? 0 : 1;
  }
  if (open != 0 && first_argument_.empty())
    return "its base is no image for CUDA, so nothing would stop a build from installing what is for CUDA";
  if (open * 2 > all) return "most of its steps are for CUDA";
  return {};
}

std::string Dockerfile::part_text(const Part& part) const {
  const std::string_view end = line_end_of(text_);
  const std::string_view source = slice(text_, part.source.span);
  std::string out;
  for (const std::string& comment : part.comments) out += fmt::format("# {}{}", comment, end);
  if (part.left_out) {
    for (std::string_view rest = source; !rest.empty();) {
      const std::size_t size = std::min(rest.find('\n'), rest.size() - 1) + 1;
      out += fmt::format("#     {}", rest.substr(0, size));
      rest.remove_prefix(size);
    }
    return out;
  }
  std::uint32_t at = part.source.span.begin;
  for (const auto& [span, text] : part.edits) {
    out.append(text_.substr(at, span.begin - at)).append(text);
    at = span.end;
  }
  return out.append(text_.substr(at, part.source.span.end - at));
}

/// "# syntax=…" and "# escape=…" must come first.
bool is_directive(std::string_view line) {
  line = trim(line);
  if (!line.starts_with('#')) return false;
  const std::string body = ascii_lower(trim(line.substr(1)));
  for (const std::string_view name : {"syntax", "escape", "check"})
    if (body.starts_with(name) && trim(std::string_view(body).substr(name.size())).starts_with('=')) return true;
  return false;
}

std::string Dockerfile::written() const {
  const std::string_view end = line_end_of(text_);
  std::string out;
  std::size_t k = 0;
  while (k < parts_.size() && parts_[k].source.name.empty() && is_directive(slice(text_, parts_[k].source.span)))
    out += slice(text_, parts_[k++].source.span);
  if (first_argument_.empty()) {
    out += head_beside(source_, "");
  } else {
    out += head_beside(source_, source_.table.dockerfile_head, first_argument_);
  }
  bool declared = images_.empty();
  for (; k < parts_.size(); ++k) {
    if (!declared && parts_[k].source.name == "from") {
      for (const auto& [image, argument] : images_) out += fmt::format("ARG {}{}", argument, end);
      declared = true;
    }
    out += part_text(parts_[k]);
  }
  return out;
}

BesideText Dockerfile::run() {
  split();
  take_images();
  take_argument_images();
  take_variables();
  for (Part& part : parts_)
    std::sort(part.edits.begin(), part.edits.end(),
              [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
  keep_open();
  name_lists();
  BesideText out;
  out.problem = problem();
  for (const Part& part : parts_) out.open.insert(out.open.end(), part.open.begin(), part.open.end());
  if (out.problem.empty()) out.text = written();
  return out;
}

}  // namespace

BesideText dockerfile_beside(const BesideSource& source) { return Dockerfile(source).run(); }

}  // namespace accelport
