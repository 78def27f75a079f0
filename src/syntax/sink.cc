#include "syntax/sink.h"

#include <algorithm>
#include <cstring>

#include "syntax/scan.h"

namespace accelport {
namespace {

bool before(const Site& a, const Site& b) {
  if (a.span.begin != b.span.begin) return a.span.begin < b.span.begin;
  return a.span.end > b.span.end;
}

}  // namespace

SiteSink::SiteSink(const ReadInput& input, ReadOutput& output)
    : input_(input), output_(output), first_(output.sites.size()) {
  for (const Hit& hit : input.hits) longest_hit_ = std::max<std::uint32_t>(longest_hit_, hit.size);
}

std::size_t SiteSink::first_hit(std::uint32_t begin) const {
  const std::uint32_t from = begin > longest_hit_ ? begin - longest_hit_ : 0;
  const auto found = std::lower_bound(input_.hits.begin(), input_.hits.end(), from,
                                      [](const Hit& hit, std::uint32_t at) { return hit.offset < at; });
  return static_cast<std::size_t>(found - input_.hits.begin());
}

bool SiteSink::touched(Span span) const {
  for (std::size_t i = first_hit(span.begin); i < input_.hits.size() && input_.hits[i].offset < span.end; ++i) {
    if (input_.hits[i].offset + input_.hits[i].size > span.begin) return true;
  }
  return false;
}

bool SiteSink::touched_outside(Span span, std::size_t first_site) const {
  std::uint32_t covered = 0;
  for (std::size_t i = first_hit(span.begin); i < input_.hits.size() && input_.hits[i].offset < span.end; ++i) {
    const Hit& hit = input_.hits[i];
    if (hit.offset + hit.size <= span.begin) continue;
    for (; first_site < count() && output_.sites[first_site].span.begin <= hit.offset; ++first_site) {
      covered = std::max(covered, output_.sites[first_site].span.end);
    }
    if (hit.offset + hit.size > covered) return true;
  }
  return false;
}

Site& SiteSink::put(Span span, SiteKind kind, Context context) {
  Site& site = output_.sites.emplace_back();
  site.span = span;
  site.kind = kind;
  site.context = context;
  site.language = input_.kind.language;
  site.guards = guards;
  site.statement = statement;
  site.function = function;
  return site;
}

Site* SiteSink::add(Span span, SiteKind kind, Context context) {
  if (span.begin >= span.end || !touched(span)) return nullptr;
  return &put(span, kind, context);
}

std::size_t SiteSink::read_piece(Span span, FileKind kind) {
  const std::size_t first = count();
  if (input_.depth >= kMaxPieceDepth || !touched(span)) return first;
  std::vector<Hit> hits;
  for (std::size_t i = first_hit(span.begin); i < input_.hits.size() && input_.hits[i].offset < span.end; ++i) {
    Hit hit = input_.hits[i];
    if (hit.offset < span.begin || hit.offset + hit.size > span.end) continue;
    hit.offset -= span.begin;
    hits.push_back(hit);
  }
  const ReadInput inner{input_.path, text(span), kind, hits, input_.facts, input_.depth + 1};
  read_source(inner, output_);
  for (std::size_t i = first; i < count(); ++i) {
    site(i).span.begin += span.begin;
    site(i).span.end += span.begin;
    site(i).guards |= guards;
  }
  return first;
}

std::size_t SiteSink::read_piece(PieceBuilder& piece, FileKind kind) {
  const std::size_t first = count();
  if (input_.depth >= kMaxPieceDepth || piece.size() == 0) return first;
  std::vector<Hit> hits;
  const std::uint32_t size = piece.size();
  const Span whole = piece.map().to_outer({0, size});
  for (std::size_t i = first_hit(whole.begin); i < input_.hits.size() && input_.hits[i].offset < whole.end; ++i) {
    Hit hit = input_.hits[i];
    const std::uint32_t inner = piece.map().to_inner(hit.offset);
    const Span back = piece.map().to_outer({inner, std::min(size, inner + hit.size)});
    if (inner >= size || back != Span{hit.offset, hit.offset + hit.size}) continue;
    hit.offset = inner;
    hits.push_back(hit);
  }
  if (hits.empty()) return first;
  std::string& kept = output_.storage.emplace_back(std::move(piece.text()));
  kept.append(kTextPadding, '\0');
  const std::string_view inner_text = std::string_view(kept).substr(0, size);
  const ReadInput inner{input_.path, inner_text, kind, hits, input_.facts, input_.depth + 1};
  read_source(inner, output_);
  for (std::size_t i = first; i < count(); ++i) {
    site(i).span = piece.map().to_outer(site(i).span);
    site(i).guards |= guards;
  }
  return first;
}

void SiteSink::sort_sites() {
  std::stable_sort(output_.sites.begin() + static_cast<std::ptrdiff_t>(first_), output_.sites.end(), before);
}

void SiteSink::finish(SiteKind kind, Context context) {
  sort_sites();
  std::uint32_t covered = 0;  // greatest end of a site that starts at or before the hit
  const std::size_t known = count();
  std::size_t next = first_;
  for (const Hit& hit : input_.hits) {
    for (; next < known && site(next).span.begin <= hit.offset; ++next)
      covered = std::max(covered, site(next).span.end);
    if (hit.offset + hit.size <= covered) continue;
    std::uint32_t begin = hit.offset;
    while (begin > 0 && text()[begin - 1] != '\n' && begin > covered) --begin;
    const TextLine line = line_from(text(), hit.offset);
    const std::uint32_t end = std::max(line.span.end, hit.offset + hit.size);
    Span span = trim(text(), {begin, end});
    span = {std::min(span.begin, hit.offset), std::max(span.end, hit.offset + hit.size)};
    put(span, kind, context).value = std::string(text(span).substr(0, 400));
    covered = std::max(covered, span.end);
  }
  if (count() != known) sort_sites();
}

TextLine line_from(std::string_view text, std::uint32_t begin) {
  const void* found = std::memchr(text.data() + begin, '\n', text.size() - begin);
  TextLine line;
  line.span.begin = begin;
  if (found == nullptr) {
    line.span.end = line.next = static_cast<std::uint32_t>(text.size());
  } else {
    line.span.end = static_cast<std::uint32_t>(static_cast<const char*>(found) - text.data());
    line.next = line.span.end + 1;
  }
  if (line.span.end > begin && text[line.span.end - 1] == '\r') --line.span.end;
  return line;
}

Span trim(std::string_view text, Span span) {
  while (span.begin < span.end && is_ascii_space(text[span.begin])) ++span.begin;
  while (span.end > span.begin && is_ascii_space(text[span.end - 1])) --span.end;
  return span;
}

std::uint32_t indent_of(std::string_view line) {
  std::uint32_t i = 0;
  while (i < line.size() && (line[i] == ' ' || line[i] == '\t')) ++i;
  return i;
}

std::string_view last_component(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view without_quotes(std::string_view value) {
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front()) {
    return value.substr(1, value.size() - 2);
  }
  return value;
}

}  // namespace accelport
