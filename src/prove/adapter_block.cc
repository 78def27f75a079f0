#include "prove/adapter_block.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace accelport {
namespace {

constexpr std::string_view kFailure = "ModuleNotFoundError";
/// The block's lines, word by word; a star is the module's name, which must be one name.
const std::array<std::vector<std::string_view>, 6> kShape = {
    {{"try", ":"}, {"import", "*"}, {"except", kFailure, ":"}, {"pass"}, {"else", ":"}, {"import", "*"}}};

class Blocks {
 public:
  Blocks(const PythonText& source, Bindings& bindings) : source_(source), lexed_(source.lexed), bindings_(bindings) {}

  std::set<std::uint32_t> find(const AdapterCheck& is_adapter);

 private:
  std::string_view module_in(std::uint32_t line) const { return lexed_.text_of(lexed_.lines[line].first + 1); }
  bool is_block(std::uint32_t first) const;
  bool reads(std::uint32_t line, const std::vector<std::string_view>& words) const;
  bool is_builtin_failure(std::uint32_t line) const;
  bool stands_alone(std::uint32_t line, const std::set<std::uint32_t>& lines) const;

  const PythonText& source_;
  const PyLexed& lexed_;
  Bindings& bindings_;
};

bool Blocks::reads(std::uint32_t line, const std::vector<std::string_view>& words) const {
  std::size_t known = 0;
  for (std::uint32_t t = lexed_.lines[line].first; t < lexed_.lines[line].last; ++t) {
    if (lexed_.tokens[t].kind == PyKind::newline) continue;
    if (lexed_.tokens[t].kind != PyKind::name && lexed_.tokens[t].kind != PyKind::op) return false;
    if (known == words.size() || (words[known] != "*" && lexed_.text_of(t) != words[known])) return false;
    ++known;
  }
  return known == words.size();
}

bool Blocks::is_block(std::uint32_t first) const {
  if (first + kShape.size() > lexed_.lines.size()) return false;
  for (std::uint32_t i = 0; i < kShape.size(); ++i) {
    const std::uint32_t parent = i % 2 == 0 ? kNone : first + i - 1;
    if (source_.parent[first + i] != parent || !reads(first + i, kShape[i])) return false;
  }
  const std::uint32_t behind = first + static_cast<std::uint32_t>(kShape.size());
  if (behind == lexed_.lines.size()) return true;
  return source_.parent[behind] == kNone && lexed_.text_of(lexed_.lines[behind].first) != "finally";
}

/// Nothing in the text gives the exception's name another meaning, and no star import in front of it may.
bool Blocks::is_builtin_failure(std::uint32_t line) const {
  const std::uint32_t name = lexed_.names.find(kFailure);
  for (std::uint32_t t = lexed_.names.first(name); t != kNoToken; t = lexed_.tokens[t].next)
    if (bindings_.binds(t) || source_.annotator.statement(t).word == PyWord::global_) return false;
  const auto& imports = bindings_.imports();
  return std::none_of(imports.begin(), imports.end(),
                      [&](const ImportItem& item) { return item.star && item.statement < lexed_.lines[line].first; });
}

/// The module's name is nowhere but in such blocks: there it is bound on the platform alone.
bool Blocks::stands_alone(std::uint32_t line, const std::set<std::uint32_t>& lines) const {
  const std::uint32_t name = lexed_.tokens[lexed_.lines[line].first + 1].name;
  for (std::uint32_t t = lexed_.names.first(name); t != kNoToken; t = lexed_.tokens[t].next)
    if (lines.count(source_.annotator.line_of(t)) == 0) return false;
  return true;
}

std::set<std::uint32_t> Blocks::find(const AdapterCheck& is_adapter) {
  std::vector<std::uint32_t> firsts;
  std::set<std::uint32_t> lines;
  for (std::uint32_t line = 0; line < lexed_.lines.size(); ++line) {
    if (!is_block(line) || !is_adapter(module_in(line + 1), module_in(line + 5))) continue;
    firsts.push_back(line);
    for (std::uint32_t i = 0; i < kShape.size(); ++i) lines.insert(line + i);
  }
  const bool certain = std::all_of(firsts.begin(), firsts.end(), [&](std::uint32_t line) {
    return is_builtin_failure(line) && stands_alone(line + 1, lines) && stands_alone(line + 5, lines);
  });
  return certain ? lines : std::set<std::uint32_t>();
}

}  // namespace

std::set<std::uint32_t> adapter_lines(const PythonText& source, Bindings& bindings, const AdapterCheck& is_adapter) {
  return Blocks(source, bindings).find(is_adapter);
}

}  // namespace accelport
