#include "audit/examine.h"

#include <algorithm>

#include <fmt/core.h>

#include "audit/counterparts.h"
#include "audit/coverage.h"
#include "audit/decide.h"
#include "audit/identify.h"
#include "audit/opt_out.h"
#include "base/hash.h"
#include "syntax/encoding.h"

namespace accelport {
namespace {

/// Lines, the last one also without a newline. Every byte of every file passes here: the inner loop is one that
/// compilers make wide, and short enough for its count to fit in a byte.
std::uint64_t count_lines(std::string_view bytes) {
  constexpr std::size_t kBlock = 240;
  std::uint64_t lines = 0;
  std::size_t i = 0;
  for (; i + kBlock <= bytes.size(); i += kBlock) {
    unsigned char block = 0;
    for (std::size_t k = 0; k < kBlock; ++k) block += bytes[i + k] == '\n' ? 1 : 0;
    lines += block;
  }
  for (; i < bytes.size(); ++i) lines += bytes[i] == '\n' ? 1 : 0;
  return lines + (!bytes.empty() && bytes.back() != '\n' ? 1 : 0);
}

/// The line around `offset`, without blanks at its ends: what a hit is shown as that no reader explained.
Span line_span(std::string_view text, std::uint32_t offset) {
  std::uint32_t begin = offset, end = offset;
  while (begin > 0 && text[begin - 1] != '\n') --begin;
  while (end < text.size() && text[end] != '\n') ++end;
  while (begin < offset && is_ascii_space(text[begin])) ++begin;
  while (end > offset + 1 && is_ascii_space(text[end - 1])) --end;
  return {begin, end};
}

/// At most `size` bytes of `text`, no character cut in two.
std::string_view beginning_of(std::string_view text, std::size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size);
}

bool starts_before(const Site& a, const Site& b) {
  return a.span.begin != b.span.begin ? a.span.begin < b.span.begin : a.span.end > b.span.end;
}

std::vector<Span> spans_of(const std::vector<Site>& sites) {
  std::vector<Span> spans;
  spans.reserve(sites.size());
  for (const Site& site : sites) spans.push_back(site.span);
  return spans;
}

std::vector<std::uint32_t> offsets_of(const std::vector<Hit>& hits) {
  std::vector<std::uint32_t> offsets;
  offsets.reserve(hits.size());
  for (const Hit& hit : hits) offsets.push_back(hit.offset);
  return offsets;
}

/// The character of `text` that byte `byte` of the file belongs to.
std::uint32_t to_text(const DecodedText& text, std::uint32_t byte) {
  std::uint32_t low = 0, high = static_cast<std::uint32_t>(text.text.size());
  while (low + 1 < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    (text.to_bytes(middle) <= byte ? low : high) = middle;
  }
  return low;
}

/// Columns in UTF-16 code units. On one line each is counted from the one before, so that a line full of places costs
/// its length, not its square.
class Utf16Columns {
 public:
  explicit Utf16Columns(std::string_view text) : text_(text) {}

  /// `column` is the one in bytes. Bounded: far out on an endless line it has to do.
  std::uint32_t column(std::uint32_t column, std::uint32_t offset) {
    constexpr std::uint32_t kMaxColumn = 65536;
    if (column > kMaxColumn) return column;
    const std::uint32_t line = offset - (column - 1);
    if (line != line_) line_ = line, offset_ = line, units_ = 0;
    if (offset >= offset_) {
      units_ += utf16_length(slice(text_, {offset_, offset}));
    } else {
      units_ -= utf16_length(slice(text_, {offset, offset_}));
    }
    offset_ = offset;
    return units_ + 1;
  }

 private:
  std::string_view text_;
  std::uint32_t line_ = 0;    // where it begins
  std::uint32_t offset_ = 0;  // the last place …
  std::uint32_t units_ = 0;   // … and how many code units lie before it
};

/// Judges one file. Members are the stages' intermediate values.
class Examination {
 public:
  Examination(const Candidate& candidate, std::string_view bytes, const Catalog& catalog,
              const std::vector<const Platform*>& platforms, const ReaderFacts& facts, Workspace& workspace,
              Examined& out)
      : candidate_(candidate),
        bytes_(bytes),
        catalog_(catalog),
        platforms_(platforms),
        facts_(facts),
        work_(workspace),
        out_(out) {}

  void run() {
    AuditedFile& file = out_.file;
    const std::string_view head = bytes_.substr(0, 4096);
    decoded_ = decode_text(bytes_, file_language(candidate_.path, head));
    if (decoded_.encoding == Encoding::binary) return skip("binary");
    file.bytes = bytes_.size();
    file.lines = count_lines(bytes_);
    file.charset = decoded_.charset;
    work_.byte_hits.clear();
    catalog_.scanner->scan(bytes_, work_.byte_hits);
    if (decoded_.transcoded) {
      work_.text_hits.clear();
      catalog_.scanner->scan(decoded_.text, work_.text_hits);
    }
    if (text_hits().empty() && work_.byte_hits.empty() && facts_.platform_copies.count(candidate_.path) == 0) return;
    file.kind = file_kind(candidate_.path, head);
    if (candidate_.vendored) file.kind.roles |= FileRole::vendored;
    judge();
  }

 private:
  const std::vector<Hit>& text_hits() const { return decoded_.transcoded ? work_.text_hits : work_.byte_hits; }

  void skip(std::string reason) {
    out_.is_skipped = true;
    out_.skipped = {candidate_.path, std::move(reason), false};
  }

  void judge() {
    read();
    explain();
    const LineTable lines(decoded_.text);
    place(lines);
    apply_opt_outs(lines);
    count_terms();
    assign_ids(candidate_.path, decoded_.text, lines, out_.file.occurrences);
    out_.file.damage = work_.read.damage;
  }

  void read() {
    work_.read.clear();
    const ReadInput input{candidate_.path, decoded_.text, out_.file.kind, text_hits(), &facts_};
    read_source(input, work_.read);
    std::vector<Site>& sites = work_.read.sites;
    if (!std::is_sorted(sites.begin(), sites.end(), starts_before))
      std::stable_sort(sites.begin(), sites.end(), starts_before);
    locate_terms();
    cover_the_rest(sites);
  }

  /// The terms' places in the text. Bytes can hold a word that the text does not: in GBK a lead byte and a letter are
  /// one character. It counts, since grep finds it.
  void locate_terms() {
    for (const Hit& hit : text_hits())
      if (hit.word < catalog_.first_trigger) term_offsets_.push_back(hit.offset);
    if (!decoded_.transcoded) return;
    for (const Hit& hit : work_.byte_hits)
      if (hit.word < catalog_.first_trigger) term_offsets_.push_back(to_text(decoded_, hit.offset));
    std::sort(term_offsets_.begin(), term_offsets_.end());
  }

  /// Gives every hit that lies in no site the line around it.
  void cover_the_rest(std::vector<Site>& sites) {
    const auto owners = innermost_owners(spans_of(sites), term_offsets_);
    std::uint32_t covered_to = 0;
    const std::size_t read_sites = sites.size();
    for (std::size_t i = 0; i < owners.size(); ++i) {
      const std::uint32_t offset = term_offsets_[i];
      if (owners[i] >= 0 || offset < covered_to) continue;
      Site site;
      site.span = line_span(decoded_.text, offset);
      site.kind = SiteKind::text;
      site.language = out_.file.kind.language;
      covered_to = site.span.end;
      sites.push_back(std::move(site));
    }
    if (sites.size() != read_sites) std::stable_sort(sites.begin(), sites.end(), starts_before);
  }

  /// Asks the rules about every site. A site whose hits all lie in narrower ones, or that has none and no rule, is
  /// nothing.
  void explain() {
    std::vector<Site>& sites = work_.read.sites;
    std::vector<bool> owns(sites.size());
    for (const std::int32_t owner : innermost_owners(spans_of(sites), term_offsets_))
      if (owner >= 0) owns[owner] = true;
    const FileText text(decoded_.text);
    for (std::size_t i = 0; i < sites.size(); ++i) {
      const Verdict verdict = explain_site(catalog_, sites[i], text, candidate_.path, out_.file.kind.roles, owns[i]);
      if (verdict.rule == nullptr && !owns[i]) continue;
      if (!owns[i] && verdict.outcome->category == Category::none) continue;
      add(sites[i], verdict);
    }
  }

  void add(const Site& site, const Verdict& verdict) {
    Occurrence occurrence;
    occurrence.span = site.span;
    occurrence.text = beginning_of(slice(decoded_.text, site.span), Occurrence::kMaxText);
    occurrence.cell = site.cell;
    occurrence.cell_line = site.cell_line;
    if (verdict.rule != nullptr) apply_verdict(verdict, site, decoded_.text, out_.file.kind.roles, occurrence);
    settle_counterpart(decoded_.text, platforms_, occurrence);
    occurrence.notes = notes_for(site, occurrence.category, platforms_);
    statements_.push_back(site.statement);
    out_.file.occurrences.push_back(std::move(occurrence));
  }

  void place(const LineTable& lines) {
    std::vector<Occurrence>& all = out_.file.occurrences;
    Utf16Columns begins(decoded_.text), ends(decoded_.text);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Position begin = lines.position(all[i].span.begin);
      const Position end = lines.position(all[i].span.end);
      all[i].line = begin.line, all[i].column = begin.column;
      all[i].end_line = end.line, all[i].end_column = end.column;
      all[i].utf16_column = begins.column(begin.column, all[i].span.begin);
      all[i].utf16_end_column = ends.column(end.column, all[i].span.end);
    }
    form_groups(all);
    form_families(all);
  }

  /// Branches by accelerator of one text change together.
  void form_families(std::vector<Occurrence>& all) const {
    std::map<int, int> members;  // by cell
    for (const Occurrence& o : all)
      if (o.branch != nullptr) ++members[o.cell];
    for (Occurrence& o : all) {
      if (o.branch == nullptr || members[o.cell] < 2) continue;
      Hasher hasher;
      hasher.add(candidate_.path).add(static_cast<std::uint64_t>(o.cell + 1));
      o.group = "f" + to_hex(hasher.digest()).substr(0, 8);
    }
  }

  /// Device selections of one statement (a ternary and its test, a literal and its default) change together.
  void form_groups(std::vector<Occurrence>& all) const {
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i + 1;
      while (end < all.size() && statements_[i] != 0 && statements_[end] == statements_[i]) ++end;
      const auto belongs = [](const Occurrence& o) { return o.action != PortAction::none; };
      if (std::count_if(all.begin() + i, all.begin() + end, belongs) > 1) {
        Hasher hasher;
        hasher.add(candidate_.path).add(statements_[i]);
        for (std::size_t k = i; k < end; ++k)
          if (belongs(all[k])) all[k].group = "g" + to_hex(hasher.digest()).substr(0, 8);
      }
      i = end;
    }
  }

  void apply_opt_outs(const LineTable& lines) {
    if (decoded_.text.find("accelport:") == std::string_view::npos) return;
    for (const OptOut& opt_out : find_opt_outs(decoded_.text, lines)) {
      if (!opt_out.problem.empty()) {
        out_.problems.push_back(fmt::format("{}:{}: {}", candidate_.path, opt_out.comment_line, opt_out.problem));
        continue;
      }
      auto& all = out_.file.occurrences;
      const auto above = [&](const Occurrence& occurrence) { return occurrence.line < opt_out.line; };
      for (auto it = std::partition_point(all.begin(), all.end(), above); it != all.end() && it->line == opt_out.line;
           ++it)
        if (it->category != Category::none) override_decision(opt_out.decision, opt_out.reason, "comment", *it);
    }
  }

  /// Counts every term's hits on disk and gives each to the narrowest occurrence around it.
  void count_terms() {
    AuditedFile& file = out_.file;
    std::vector<Span> spans;
    spans.reserve(file.occurrences.size());
    for (const Occurrence& o : file.occurrences) spans.push_back(to_bytes(o.span));
    const auto offsets = offsets_of(work_.byte_hits);
    const auto owners = innermost_owners(spans, offsets);
    file.term_hits.assign(catalog_.terms.size(), 0);
    file.term_covered.assign(catalog_.terms.size(), 0);
    for_each_term(catalog_, bytes_, work_.byte_hits, [&](std::size_t term, std::uint32_t offset, std::uint32_t) {
      ++file.term_hits[term];
      const auto at = std::lower_bound(offsets.begin(), offsets.end(), offset + catalog_.terms[term].before);
      const std::int32_t owner = at == offsets.end() ? -1 : owners[at - offsets.begin()];
      if (owner < 0) return;
      ++file.term_covered[term];
      ++file.occurrences[owner].hits;
    });
  }

  Span to_bytes(Span span) const {
    return decoded_.transcoded ? Span{decoded_.to_bytes(span.begin), decoded_.to_bytes(span.end)} : span;
  }

  const Candidate& candidate_;
  std::string_view bytes_;
  const Catalog& catalog_;
  const std::vector<const Platform*>& platforms_;
  const ReaderFacts& facts_;
  Workspace& work_;
  Examined& out_;
  DecodedText decoded_;
  std::vector<std::uint32_t> term_offsets_;
  std::vector<std::uint32_t> statements_;  // by occurrence
};

}  // namespace

Examined examine_bytes(const Candidate& candidate, std::string_view bytes, const Catalog& catalog,
                       const std::vector<const Platform*>& platforms, const ReaderFacts& facts, Workspace& workspace) {
  Examined examined;
  examined.file.path = candidate.path;
  Examination(candidate, bytes, catalog, platforms, facts, workspace, examined).run();
  return examined;
}

Examined examine_file(const Candidate& candidate, const Catalog& catalog, const std::vector<const Platform*>& platforms,
                      const ReaderFacts& facts, const Files& files, Workspace& workspace) {
  const auto read = files.read(candidate.full_path, kMaxFileBytes, workspace.bytes);
  if (!read) {
    Examined examined;
    examined.is_skipped = true;
    examined.skipped = {candidate.path, read.error().message, true};
    return examined;
  }
  return examine_bytes(candidate, workspace.bytes.view(), catalog, platforms, facts, workspace);
}

}  // namespace accelport
