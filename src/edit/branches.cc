#include "edit/branches.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "syntax/python_guards.h"

namespace accelport {
namespace {

constexpr std::array<std::string_view, 2> kQuestions = {"is_available", "device_count"};
constexpr std::array<std::string_view, 5> kNvidia = {"cuda", "cudnn", "cublas", "nccl", "nvidia"};
constexpr std::array<std::string_view, 4> kAsking = {"is_", "has_", "_is_", "_has_"};

bool has_cuda(std::string_view name) { return ascii_lower(name).find("cuda") != std::string::npos; }

bool names_nvidia(std::string_view chain) {
  const std::string lower = ascii_lower(chain);
  return std::any_of(kNvidia.begin(), kNvidia.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

/// The end of the branches: behind all that stands under the last one.
std::uint32_t end_of(const PythonSource& source, std::uint32_t chain) {
  const auto& lines = source.lexed.lines;
  std::uint32_t last = source.blocks.chains[chain].first;
  for (std::uint32_t line = last; line != kNone; line = source.blocks.next_branch[line]) last = line;
  const std::uint32_t indent = lines[last].indent;
  const auto is_else = [&](std::uint32_t line) { return source.token(lines[line].first).word() == PyWord::else_; };
  std::uint32_t end = last + 1;
  while (end < lines.size() && (lines[end].indent > indent || (lines[end].indent == indent && is_else(end)))) ++end;
  return lines[end - 1].end;
}

class BranchReader {
 public:
  BranchReader(const PythonSource& source, int cell, const std::function<Span(Span)>& inner,
               const std::vector<const Platform*>& platforms, FileDraft& draft)
      : source_(source), cell_(cell), inner_(inner), platforms_(platforms), draft_(draft), out_(draft.branches) {}

  void run();

 private:
  void read_member(const Occurrence& occurrence);
  void read_name(const Occurrence& occurrence, std::uint32_t token, BranchFacts::Family& family);
  bool names_platform(std::uint32_t begin, std::uint32_t end) const;
  bool is_served(std::uint32_t family) const;
  bool is_returned(const Occurrence& occurrence) const;
  bool in_condition(std::uint32_t token) const;
  bool is_compared(std::uint32_t first, std::uint32_t last) const;
  void read_definitions(const Occurrence& occurrence);
  std::vector<std::string> definitions_around(std::uint32_t token) const;
  std::vector<std::string> answered_by(std::uint32_t token) const;

  const PythonSource& source_;
  int cell_;
  const std::function<Span(Span)>& inner_;
  const std::vector<const Platform*>& platforms_;
  FileDraft& draft_;
  BranchFacts& out_;
};

bool BranchReader::names_platform(std::uint32_t begin, std::uint32_t end) const {
  const std::string text = ascii_lower(source_.text.substr(begin, end - begin));
  return std::any_of(platforms_.begin(), platforms_.end(),
                     [&](const Platform* platform) { return text.find(platform->device) != std::string::npos; });
}

/// Whether the branches that begin at `family`, or others that they stand in, name one of the platforms.
bool BranchReader::is_served(std::uint32_t family) const {
  const std::uint32_t token = source_.token_at(family);
  if (token == kNoToken) return true;
  const PyBlocks& blocks = source_.blocks;
  const std::uint32_t line = source_.annotator.line_of(token);
  const auto in_chain = [&](std::uint32_t chain) {
    const PyLine& first = source_.lexed.lines[blocks.chains[chain].first];
    return names_platform(source_.token(first.first).begin, end_of(source_, chain));
  };
  const std::uint32_t own = blocks.chain_of_line[line];
  if (own == kNone ? names_platform(family, source_.lexed.lines[line].end) : in_chain(own)) return true;
  for (std::uint32_t node = blocks.node_of_line[line]; node != kNone; node = blocks.nodes[node].parent) {
    const PyNode& around = blocks.nodes[node];
    const bool branch = around.kind == PyNode::Kind::holds || around.kind == PyNode::Kind::fails;
    if (branch && around.chain != kNone && in_chain(around.chain)) return true;
  }
  return false;
}

/// The literal is what a function returns, or a part of it: a device, as in the other branches.
bool BranchReader::is_returned(const Occurrence& o) const {
  std::uint32_t token = source_.token_at(inner_(o.span).begin);
  if (token == kNoToken || source_.annotator.statement(token).word != PyWord::return_) return false;
  for (; token != kNoToken; token = source_.mark(token).opener)
    if (source_.mark(token).frame == PyFrame::call) return false;
  return true;
}

/// A place in the header of a branch, or behind the `if` of a conditional expression.
bool BranchReader::in_condition(std::uint32_t token) const {
  const PyWord word = source_.annotator.statement(token).word;
  if (word == PyWord::if_ || word == PyWord::elif_ || word == PyWord::while_) return true;
  for (; token != kNoToken; token = source_.mark(token).opener)
    for (std::uint32_t op = source_.mark(token).op; op != kNoToken; op = source_.annotator.op(op).before) {
      const PyWord operation = source_.annotator.op(op).word;
      if (operation == PyWord::else_) break;
      if (operation == PyWord::if_) return true;
    }
  return false;
}

bool BranchReader::is_compared(std::uint32_t first, std::uint32_t last) const {
  const auto compares = [&](std::uint32_t i) {
    const PyWord word = source_.annotator.keyword(i);
    const PyToken& t = source_.token(i);
    return word == PyWord::in_ || word == PyWord::is_ ||
           (t.kind == PyKind::op && t.op2 == '=' && (t.op == '=' || t.op == '!'));
  };
  return compares(last + 1) || (first > 0 && compares(first - 1));
}

/// The functions and classes around the place whose names say CUDA.
std::vector<std::string> BranchReader::definitions_around(std::uint32_t token) const {
  std::vector<std::string> names;
  const PyBlocks& blocks = source_.blocks;
  std::uint32_t scope = blocks.scope_of(token, source_.annotator.line_of(token));
  for (; scope != kNone; scope = blocks.scopes[scope].parent)
    if (blocks.scopes[scope].name != kNone && has_cuda(source_.text_of(blocks.scopes[scope].name)))
      names.emplace_back(source_.text_of(blocks.scopes[scope].name));
  return names;
}

/// Names that are true if what stands at `token` is: of definitions around it, and of what it is assigned to.
std::vector<std::string> BranchReader::answered_by(std::uint32_t token) const {
  std::vector<std::string> names = definitions_around(token);
  const PyStatement statement = source_.annotator.statement(token);
  if (statement.assign == kNoToken || statement.assign > token || statement.assign == statement.first) return names;
  const std::uint32_t target = statement.assign - 1;
  if (source_.token(target).kind != PyKind::name || !has_cuda(source_.text_of(target))) return names;
  const PyBlocks& blocks = source_.blocks;
  const bool local =
      statement.first == target &&
      blocks.scopes[blocks.scope_of_line[source_.annotator.line_of(target)]].kind == PyScope::Kind::function;
  const std::string name(source_.text_of(target));
  names.push_back(local ? local_name(name, draft_.file->path) : name);
  return names;
}

/// A name of the project's or another package's own that says CUDA: what it stands for decides whether the branch can
/// change.
void BranchReader::read_name(const Occurrence& o, std::uint32_t token, BranchFacts::Family& family) {
  const std::uint32_t last = source_.mark(token).last;
  if (!names_nvidia(source_.text_of(source_.mark(token).first, last))) return;
  const std::string_view name = source_.text_of(last);
  const bool called = source_.lexed.is_op(last + 1, '(');
  const bool condition = in_condition(token);
  const bool asking = std::any_of(kAsking.begin(), kAsking.end(),
                                  [&](std::string_view start) { return ascii_lower(name).starts_with(start); });
  if (!called && (!condition || is_compared(token, last) || is_option_root(source_.text_of(token)))) return;
  if (!has_cuda(name)) {
    if (family.problem.empty()) family.problem = fmt::format("line {} uses `{}`, which is for CUDA only", o.line, name);
    return;
  }
  out_.asked.push_back({std::string(name), {cell_, o.family}, o.line, condition || asking});
}

void BranchReader::read_member(const Occurrence& o) {
  const auto [found, fresh] = out_.families.try_emplace({cell_, o.family});
  BranchFacts::Family& family = found->second;
  if (fresh) family.served = is_served(o.family);
  if (o.branch != nullptr) {
    ++family.members;
    if (o.branch->confidence == Confidence::guess && family.problem.empty() && !is_returned(o))
      family.problem = fmt::format("line {} stays (it is only a guess that a device is meant)", o.line);
    return;
  }
  const std::uint32_t token = source_.token_at(inner_(o.span).begin);
  if (token == kNoToken || source_.token(token).kind != PyKind::name || source_.import_at(token) != nullptr) return;
  if (source_.annotator.statement(token).word != PyWord::def_) read_name(o, token, family);
}

void BranchReader::read_definitions(const Occurrence& o) {
  if (o.decision != Decision::ignore ? o.category == Category::none : !has_cuda(o.text)) return;
  const std::uint32_t token = source_.token_at(inner_(o.span).begin);
  if (token == kNoToken) return;
  if (o.decision != Decision::ignore) {
    for (std::string& name : definitions_around(token)) out_.bodies[std::move(name)].insert(&o);
  } else if (source_.token(token).kind == PyKind::name) {
    const std::string name(source_.text_of(source_.mark(token).last));
    for (std::string& other : answered_by(token))
      if (other != name) out_.stand_ins[std::move(other)].insert(name);
  }
}

void BranchReader::run() {
  for (const Occurrence& o : draft_.file->occurrences) {
    if (cell_ >= 0 && o.cell != cell_) continue;
    if (o.family != Site::kNoFamily && !o.installed) read_member(o);
    read_definitions(o);
  }
  for (const Wanted& wanted : draft_.wanted) {
    if ((cell_ >= 0 && wanted.occurrence->cell != cell_) || wanted.function == nullptr) continue;
    if (std::find(kQuestions.begin(), kQuestions.end(), wanted.function->name) == kQuestions.end()) continue;
    const std::uint32_t token = source_.token_at(inner_(wanted.occurrence->span).begin);
    if (token == kNoToken) continue;
    for (std::string& name : answered_by(token)) out_.answers[std::move(name)].insert(wanted.occurrence);
  }
}

}  // namespace

std::string local_name(const std::string& name, const std::string& path) { return name + "@" + path; }

void read_branches(const PythonSource& source, int cell, const std::function<Span(Span)>& inner,
                   const std::vector<const Platform*>& platforms, FileDraft& draft) {
  BranchReader(source, cell, inner, platforms, draft).run();
}

}  // namespace accelport
