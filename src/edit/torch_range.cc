#include "edit/torch_range.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace accelport {
namespace {

constexpr std::uint64_t kMaxFile = 4 << 20;
constexpr const char* kFiles[] = {"requirements.txt", "pyproject.toml",  "setup.cfg",
                                  "setup.py",         "environment.yml", "environment.yaml"};

std::optional<int> read_number(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  int value = 0;
  for (; at < text.size() && is_ascii_digit(text[at]) && at - begin < 6; ++at) value = value * 10 + (text[at] - '0');
  return at == begin ? std::nullopt : std::optional(value);
}

/// The lower bound among "…>=2.6,<3": what stands behind the package's name.
TorchVersion bound_in(std::string_view rest) {
  for (const std::string_view sign : {">=", "==", "~=", "^", ">", "="}) {
    const std::size_t at = rest.find(sign);
    if (at == std::string_view::npos || (at > 0 && rest[at - 1] == '!')) continue;
    const std::string_view version = trim(rest.substr(at + sign.size()));
    if (const TorchVersion found = parse_torch_version(version); found.known()) return found;
  }
  return {};
}

/// A requirement ends with its line, its quotes, or at a comment; one with a marker holds in some environments only.
std::string_view requirement_behind(std::string_view line, std::size_t at, char quote) {
  std::string_view rest = line.substr(at);
  rest = rest.substr(0, rest.find('#'));
  if (quote != 0) rest = rest.substr(0, rest.find(quote));
  return rest;
}

bool may_follow(char c) { return c == '\0' || std::string_view(" \t\r<>=~!^[;,\"'").find(c) != std::string_view::npos; }

void read_line(std::string_view line, TorchBound& bound) {
  const std::size_t comment = line.find('#');
  for (const std::string_view name : {"torch", "pytorch"}) {
    for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
      if (at > comment) return;
      const char before = at == 0 ? '\0' : line[at - 1];
      const std::size_t end = at + name.size();
      const char after = end < line.size() ? line[end] : '\0';
      const bool quoted = before == '"' || before == '\'';
      const bool listed = trim(line.substr(0, at)).empty() || trim(line.substr(0, at)) == "-";
      if (!may_follow(after) || !(quoted || listed)) continue;
      std::string_view rest = requirement_behind(line, end, quoted ? before : '\0');
      // `torch = "^2.7"` of a table of dependencies.
      if (!quoted && trim(rest).starts_with("= ")) rest = line.substr(end, line.find(']') - end);
      const TorchVersion found = rest.find(';') == std::string_view::npos ? bound_in(rest) : TorchVersion{};
      const bool first = !bound.named;
      bound.named = true;
      if (first || !found.known() || (bound.oldest.known() && bound.oldest.reaches(found))) bound.oldest = found;
    }
  }
}

}  // namespace

TorchVersion parse_torch_version(std::string_view text) {
  while (!text.empty() && (text.front() == '"' || text.front() == '\'' || text.front() == '^' || text.front() == '>' ||
                           text.front() == '=' || text.front() == '~'))
    text.remove_prefix(1);
  std::size_t at = 0;
  const auto major = read_number(text, at);
  if (!major || *major == 0 || at >= text.size() || text[at] != '.') return {};
  ++at;
  const auto minor = read_number(text, at);
  return minor ? TorchVersion{*major, *minor} : TorchVersion{};
}

TorchBound torch_bound(std::string_view text) {
  TorchBound bound;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    read_line(text.substr(0, size), bound);
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return bound;
}

const TorchBound& TorchRange::of_folder(const std::string& folder) {
  const auto [found, fresh] = by_folder_.try_emplace(folder);
  if (!fresh) return found->second;
  TorchBound& all = found->second;
  for (const char* name : kFiles) {
    ByteBuffer bytes;
    if (!files_.read(join_path(root_, join_path(folder, name)), kMaxFile, bytes)) continue;
    const TorchBound bound = torch_bound(bytes.view());
    if (!bound.named) continue;
    if (!all.named || (all.oldest.known() && (!bound.oldest.known() || all.oldest.reaches(bound.oldest))))
      all.oldest = bound.oldest;
    all.named = true;
  }
  return all;
}

TorchVersion TorchRange::oldest_for(std::string_view path) {
  std::string folder(path);
  do {
    const std::size_t slash = folder.rfind('/');
    folder = slash == std::string::npos ? std::string() : folder.substr(0, slash);
    if (const TorchBound& bound = of_folder(folder); bound.named) return bound.oldest;
  } while (!folder.empty());
  return {};
}

}  // namespace accelport
