#include "syntax/dockerfile_lines.h"

#include "syntax/sink.h"

namespace accelport {
namespace {

bool is_blank_or_comment(std::string_view line) {
  const std::string_view rest = trim(line);
  return rest.empty() || rest.front() == '#';
}

std::string_view line_at(std::string_view text, const TextLine& line) {
  return text.substr(line.span.begin, line.span.size());
}

std::uint32_t end_of_here_documents(std::string_view text, std::uint32_t at, std::string_view line, bool& open) {
  std::size_t mark = line.find("<<") + 2;
  while (mark < line.size() && (line[mark] == '-' || line[mark] == '"' || line[mark] == '\'')) ++mark;
  std::size_t end = mark;
  while (end < line.size() && is_word_byte(line[end])) ++end;
  const std::string_view name = line.substr(mark, end - mark);
  if (name.empty() || is_ascii_digit(name.front())) return at;
  for (std::uint32_t i = at; i < text.size();) {
    const TextLine next = line_from(text, i);
    i = next.next;
    if (trim(line_at(text, next)) == name) return i;
  }
  open = true;
  return at;
}

}  // namespace

std::uint32_t end_of_docker_instruction(std::string_view text, std::uint32_t begin, bool& open) {
  std::uint32_t at = begin;
  while (at < text.size()) {
    const TextLine line = line_from(text, at);
    const std::string_view body = line_at(text, line);
    const bool skipped = at != begin && is_blank_or_comment(body);
    at = line.next;
    const std::string_view stripped = trim(body);
    if (skipped) continue;
    if (stripped.ends_with('\\') || stripped.ends_with('`')) continue;
    return body.find("<<") == std::string_view::npos ? at : end_of_here_documents(text, at, body, open);
  }
  return at;
}

std::vector<DockerPart> docker_parts(std::string_view text) {
  std::vector<DockerPart> parts;
  for (std::uint32_t at = 0; at < text.size();) {
    const TextLine line = line_from(text, at);
    DockerPart part{{at, line.next}, {}};
    if (!is_blank_or_comment(line_at(text, line))) {
      bool open = false;
      part.span.end = end_of_docker_instruction(text, at, open);
      const std::string_view body = trim(slice(text, part.span));
      std::size_t size = 0;
      while (size < body.size() && is_ascii_alpha(body[size])) ++size;
      part.name = ascii_lower(body.substr(0, size));
    }
    at = part.span.end;
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace accelport
