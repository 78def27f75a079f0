#include "prove/prove.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "prove/canonical.h"
#include "prove/checks.h"
#include "syntax/encoding.h"
#include "syntax/scan.h"
#include "syntax/tree.h"

namespace accelport {
namespace {

/// Above this many pairs of statements only the first difference is looked for.
constexpr std::size_t kMaxPairs = 4'000'000;
constexpr std::size_t kMaxShown = 100;

/// A text as it is decoded and read.
struct Loaded {
  std::string bytes;
  DecodedText decoded;
  std::unique_ptr<PythonText> source;
  std::unique_ptr<LineTable> lines;
  std::string problem;
  std::uint32_t problem_line = 1;

  explicit Loaded(std::string_view given) : bytes(given) {
    const std::size_t size = bytes.size();
    bytes.append(kTextPadding, '\0');
    decoded = decode_text(std::string_view(bytes).substr(0, size), Language::python);
    lines = std::make_unique<LineTable>(decoded.text);
    if (decoded.encoding == Encoding::binary || !decoded.problem.empty()) {
      problem = "the text cannot be decoded";
      return;
    }
    source = std::make_unique<PythonText>(decoded.text);
    const PythonTree tree(decoded.text);
    if (source->lexed.damage == 0 && !tree.damaged()) return;
    problem = "the text cannot be parsed as Python";
    problem_line = line(tree.first_damage());
  }

  std::uint32_t line(std::uint32_t offset) const { return lines->position(offset).line; }
  std::string shown(const CanonicalStatement& statement) const {
    std::string text;
    for (const char c : slice(decoded.text, statement.span)) {
      const char plain = c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
      if (plain != ' ' || text.empty() || text.back() != ' ') text += plain;
    }
    std::size_t size = std::min(text.size(), kMaxShown);
    while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
    return text.substr(0, size) + (size < text.size() ? " …" : "");
  }
};

bool equal(const CanonicalStatement& a, const CanonicalStatement& b) { return a.depth == b.depth && a.text == b.text; }

/// A pair of half-open ranges that take each other's place.
struct Hunk {
  std::size_t a_begin, a_end, b_begin, b_end;
};

/// The longest common subsequence of what stands between the ranges' equal ends.
std::vector<Hunk> compare(const std::vector<CanonicalStatement>& a, const std::vector<CanonicalStatement>& b) {
  std::size_t begin = 0, a_end = a.size(), b_end = b.size();
  while (begin < a_end && begin < b_end && equal(a[begin], b[begin])) ++begin;
  while (a_end > begin && b_end > begin && equal(a[a_end - 1], b[b_end - 1])) --a_end, --b_end;
  if (begin == a_end && begin == b_end) return {};
  const std::size_t rows = a_end - begin, columns = b_end - begin;
  if (rows == 0 || columns == 0 || rows * columns > kMaxPairs) return {{begin, a_end, begin, b_end}};
  std::vector<std::uint32_t> common((rows + 1) * (columns + 1), 0);
  const auto at = [&](std::size_t i, std::size_t k) -> std::uint32_t& { return common[i * (columns + 1) + k]; };
  for (std::size_t i = rows; i-- > 0;)
    for (std::size_t k = columns; k-- > 0;)
      at(i, k) = equal(a[begin + i], b[begin + k]) ? at(i + 1, k + 1) + 1 : std::max(at(i + 1, k), at(i, k + 1));
  std::vector<Hunk> hunks;
  Hunk hunk{begin, begin, begin, begin};
  const auto finish = [&] {
    if (hunk.a_begin < hunk.a_end || hunk.b_begin < hunk.b_end) hunks.push_back(hunk);
  };
  std::size_t i = 0, k = 0;
  while (i < rows || k < columns) {
    if (i < rows && k < columns && equal(a[begin + i], b[begin + k])) {
      finish();
      ++i, ++k;
      hunk = {begin + i, begin + i, begin + k, begin + k};
    } else if (k == columns || (i < rows && at(i + 1, k) >= at(i, k + 1))) {
      hunk.a_end = begin + ++i;
    } else {
      hunk.b_end = begin + ++k;
    }
  }
  finish();
  return hunks;
}

/// Describes the hunk: statements paired by order, the rest as lost or new.
void describe(const Hunk& hunk, const Loaded& original, const Canonical& a, const Loaded& ported, const Canonical& b,
              std::vector<Difference>& out) {
  std::size_t i = hunk.a_begin, k = hunk.b_begin;
  const std::uint32_t near = k < b.statements.size() ? ported.line(b.statements[k].span.begin) : ported.lines->count();
  while (i < hunk.a_end || k < hunk.b_end) {
    const CanonicalStatement* before = i < hunk.a_end ? &a.statements[i++] : nullptr;
    const CanonicalStatement* after = k < hunk.b_end ? &b.statements[k++] : nullptr;
    Difference difference;
    if (before != nullptr) difference.original_line = original.line(before->span.begin);
    difference.line = after != nullptr ? ported.line(after->span.begin) : near;
    if (after == nullptr) {
      difference.what = fmt::format("lost: {}", original.shown(*before));
    } else if (before == nullptr) {
      difference.what = fmt::format("not in the original: {}", ported.shown(*after));
    } else if (before->text == after->text) {
      difference.what = fmt::format("in another block than before: {}", ported.shown(*after));
    } else {
      difference.what = fmt::format("was: {} — is: {}", original.shown(*before), ported.shown(*after));
    }
    out.push_back(std::move(difference));
  }
}

/// What is damaged in both is shown where it stands now.
Proof unreadable(const Loaded& original, const Loaded& ported) {
  const bool before = !original.problem.empty(), now = !ported.problem.empty();
  const char* const which = before && now ? "original and ported" : before ? "original" : "ported";
  return {Proof::Verdict::unreadable,
          {{before ? original.problem_line : 0, now ? ported.problem_line : 1,
            fmt::format("{}: {}", which, now ? ported.problem : original.problem)}}};
}

}  // namespace

Proof prove_file(std::string_view original_bytes, std::string_view ported_bytes, const HelperTable& table,
                 const FileSurroundings& around) {
  if (original_bytes == ported_bytes) return {};
  const Loaded original(original_bytes), ported(ported_bytes);
  if (!original.problem.empty() || !ported.problem.empty()) return unreadable(original, ported);
  Proof proof;
  if (original.decoded.charset != ported.decoded.charset)
    proof.differences.push_back(
        {1, 1, fmt::format("the encoding was {} and is {}", original.decoded.charset, ported.decoded.charset)});
  Bindings old_names(*original.source, table, around.is_helper), new_names(*ported.source, table, around.is_helper);
  const auto elided = unused_imports(*original.source, old_names, *ported.source, new_names, around.is_taken);
  const Canonical before = canonicalise(*original.source, old_names, table, elided,
                                        adapter_lines(*original.source, old_names, around.is_adapter));
  Canonical after = canonicalise(*ported.source, new_names, table, elided,
                                 adapter_lines(*ported.source, new_names, around.is_adapter));
  for (const Hunk& hunk : compare(before.statements, after.statements))
    describe(hunk, original, before, ported, after, proof.differences);
  std::vector<CanonicalProblem> problems = std::move(after.problems);
  for (auto& found : {helper_problems(*ported.source, new_names), version_problems(*original.source, *ported.source),
                      relative_problems(*original.source, old_names, *ported.source, new_names, around.is_packaged)})
    problems.insert(problems.end(), found.begin(), found.end());
  for (CanonicalProblem& problem : problems)
    proof.differences.push_back({0, ported.line(problem.offset), std::move(problem.what)});
  std::stable_sort(proof.differences.begin(), proof.differences.end(),
                   [](const Difference& a, const Difference& b) { return a.line < b.line; });
  if (!proof.differences.empty()) proof.verdict = Proof::Verdict::different;
  return proof;
}

}  // namespace accelport
