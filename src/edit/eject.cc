#include "edit/eject.h"

#include <algorithm>
#include <map>
#include <memory>

#include <fmt/core.h>

#include "audit/discover.h"
#include "audit/git_changes.h"
#include "audit/opt_out.h"
#include "edit/decisions.h"
#include "edit/python_source.h"
#include "syntax/scan.h"

namespace accelport {
namespace {

constexpr std::string_view kMark = "accelport:", kName = "accelport";
constexpr const char* kSettings = "accelport.toml";

struct OneFile {
  const Candidate& candidate;
  std::string_view text;
  const LineTable& lines;
};

/// The comment behind code, from the blanks in front of it to the end of the line; empty if it is not surely one.
Span behind_code(std::string_view text, Span line, std::size_t mark) {
  std::size_t hash = mark;
  while (hash > line.begin && (text[hash - 1] == ' ' || text[hash - 1] == '\t')) --hash;
  if (hash == line.begin || text[hash - 1] != '#') return {};
  std::size_t begin = hash - 1;
  while (begin > line.begin && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
  const bool carriage_return = line.end > line.begin && text[line.end - 1] == '\r';
  return {static_cast<std::uint32_t>(begin), line.end - (carriage_return ? 1 : 0)};
}

/// A comment that goes on in the next line is not ours alone.
bool is_closed(std::string_view line) {
  line = trim(line);
  if (line.starts_with("/*")) return line.ends_with("*/") && line.find("*/") == line.size() - 2;
  if (line.starts_with("<!--")) return line.ends_with("-->") && line.find("-->") == line.size() - 3;
  return true;
}

bool is_python(const std::string& path) { return path.ends_with(".py") || path.ends_with(".pyi"); }

class Ejector {
 public:
  Ejector(const std::string& root, const Files& files) : root_(root), files_(files) {}

  Result<Ejection> run(const std::vector<Candidate>& candidates);

 private:
  void read(const Candidate& candidate);
  std::vector<Edit> comments(const OneFile& file) const;
  void keep_names(const OneFile& file);

  const std::string& root_;
  const Files& files_;
  Ejection out_;
};

std::vector<Edit> Ejector::comments(const OneFile& file) const {
  std::vector<Edit> edits;
  const bool python = is_python(file.candidate.path);
  std::string padded;
  std::unique_ptr<PythonSource> source;
  if (python) {
    padded.assign(file.text).append(kTextPadding, '\0');
    source = std::make_unique<PythonSource>(std::string_view(padded).substr(0, file.text.size()));
  }
  for (const OptOut& comment : find_opt_outs(file.text, file.lines)) {
    if (!comment.problem.empty()) continue;
    const Span line = file.lines.line(comment.comment_line);
    const std::size_t mark = file.text.find(kMark, line.begin);
    const bool alone = comment.line != comment.comment_line;
    const bool in_code = source && std::any_of(source->lexed.tokens.begin(), source->lexed.tokens.end(),
                                               [&](const PyToken& t) { return t.begin <= mark && mark < t.end; });
    if (in_code || !is_closed(slice(file.text, line)) || (!alone && !python)) continue;
    Span span = line;
    if (alone && span.end < file.text.size()) ++span.end;  // its line end
    if (!alone) span = behind_code(file.text, line, mark);
    if (span.size() != 0 && (edits.empty() || edits.back().span.end <= span.begin)) edits.push_back({span, "", {}, {}});
  }
  return edits;
}

/// What still names the tool is shown.
void Ejector::keep_names(const OneFile& file) {
  const std::string lower = ascii_lower(file.text);
  std::uint32_t last = 0;
  for (std::size_t at = lower.find(kName); at != std::string::npos; at = lower.find(kName, at + 1)) {
    const std::uint32_t number = file.lines.position(static_cast<std::uint32_t>(at)).line;
    if (number == last) continue;
    last = number;
    out_.kept.push_back(fmt::format("{}:{}: {}", file.candidate.path, number,
                                    trim(slice(file.text, file.lines.line(number))).substr(0, 120)));
  }
}

void Ejector::read(const Candidate& candidate) {
  ByteBuffer bytes;
  const std::string& path = candidate.path;
  if (candidate.vendored || path == kSettings || path.starts_with(std::string(kToolFolder) + "/")) return;
  if (!files_.read(join_path(root_, path), kMaxFileBytes, bytes)) return;
  if (ascii_lower(bytes.view()).find(kName) == std::string::npos) return;
  const LineTable lines(bytes.view());
  const OneFile file{candidate, bytes.view(), lines};
  FileChange change;
  if (is_utf8(bytes.view()) && !path.ends_with(".ipynb")) change.edits = comments(file);
  if (change.edits.empty()) return keep_names(file);
  change.path = path;
  change.before = bytes.view();
  change.after = apply_edits(change.before, change.edits);
  const LineTable after_lines(change.after);
  keep_names({candidate, change.after, after_lines});
  out_.changes.push_back(std::move(change));
}

Result<Ejection> Ejector::run(const std::vector<Candidate>& candidates) {
  for (const Candidate& candidate : candidates) read(candidate);
  std::sort(out_.changes.begin(), out_.changes.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  std::sort(out_.kept.begin(), out_.kept.end());
  for (const char* path : {kDecisionsFile, kSettings})
    if (files_.info(join_path(root_, path))) out_.removed.emplace_back(path);
  out_.has_journal = files_.info(join_path(root_, kJournalFolder)).has_value();
  return std::move(out_);
}

Result<void> check_committed(const Ejection& ejection, const std::string& root, const Files& files,
                             const Processes& processes) {
  std::vector<std::string> wanted = ejection.removed;
  for (const FileChange& change : ejection.changes) wanted.push_back(change.path);
  TRY(const auto changes, git_changes(root, wanted, files, processes));
  const char* const hint = "commit first, so that git can take it back, or say --allow-dirty; nothing was changed";
  if (!changes) return fail(Error::Kind::input, "not in git, so nothing could take --eject back", root, hint);
  if (changes->paths.empty()) return {};
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(changes->paths.size(), 10); ++i)
    names += (i == 0 ? "" : ", ") + changes->paths[i];
  return fail(Error::Kind::input, "the tree has changes that are not committed: " + names, root, hint);
}

}  // namespace

Result<Ejection> plan_ejection(const std::string& root, const Files& files, const Processes& processes) {
  AuditOptions options;
  options.roots = {root};
  TRY(const Discovery found, discover(options, files, processes));
  return Ejector(root, files).run(found.candidates);
}

Result<void> eject(const Ejection& ejection, const std::string& root, bool allow_dirty, Journal& journal,
                   const Files& files, const Processes& processes) {
  if (!allow_dirty) TRY_DO(check_committed(ejection, root, files, processes));
  std::map<std::string, std::string> removed;
  std::vector<JournalStep> steps;
  for (const FileChange& change : ejection.changes)
    steps.push_back({change.path, std::string_view(change.before), std::string_view(change.after), change.mode});
  for (const std::string& path : ejection.removed) {
    ByteBuffer bytes;
    TRY_DO(files.read(join_path(root, path), kMaxFileBytes, bytes));
    const std::string& kept = removed[path] = bytes.view();
    steps.push_back({path, std::string_view(kept), std::nullopt, 0644});
  }
  if (!steps.empty()) TRY_DO(journal.write(steps));
  return journal.discard();
}

}  // namespace accelport
