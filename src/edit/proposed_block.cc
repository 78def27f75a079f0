#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "edit/beside.h"
#include "syntax/file_names.h"

namespace accelport {
namespace {

constexpr std::string_view kImage = "image:";
constexpr std::string_view kVariable = "env:";

/// A job or a service: lines from its key to the next one.
struct Block {
  std::size_t begin = 0, end = 0;  // lines from 0
  std::string name;
  std::vector<const Occurrence*> places;
  bool on_cards = false;  // something in it asks for NVIDIA's cards
};

bool says_nothing(std::string_view line) {
  const std::string_view rest = trim(line);
  return rest.empty() || rest.front() == '#';
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

std::string upper(std::string_view text) {
  std::string out;
  for (const char c : text) out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

class Proposal {
 public:
  Proposal(const AuditedFile& file, std::string_view text, const Platform& platform, const BesideTable& table)
      : file_(file), text_(text), platform_(platform), table_(table), ci_(has(file.kind.roles, FileRole::ci)) {}

  std::vector<Advice> run();

 private:
  void read_lines();
  void read_blocks();
  void read_places();
  bool has_block(std::string_view name) const;
  std::string snippet(const Block& block) const;
  std::string edited(std::size_t line, const Block& block, std::vector<std::string>& checks) const;
  std::size_t end_of_entry(std::size_t line, const Block& block) const;
  std::string fill(std::string_view text) const { return fill_beside(text, {{"NAME", upper(platform_.name)}}); }

  const AuditedFile& file_;
  std::string_view text_;
  const Platform& platform_;
  const BesideTable& table_;
  bool ci_;
  std::vector<std::string_view> lines_;  // without their ends
  std::vector<std::uint32_t> begins_;
  std::vector<Block> blocks_;
};

void Proposal::read_lines() {
  for (std::size_t at = 0; at < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    std::string_view line = text_.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines_.push_back(line);
    begins_.push_back(static_cast<std::uint32_t>(at));
    at = end + 1;
  }
}

/// "name:" with nothing but a comment behind it.
std::string key_of(std::string_view line) {
  std::string_view body = trim(line);
  const std::size_t colon = body.find(':');
  if (colon == std::string_view::npos || colon == 0) return {};
  const std::string_view rest = trim(body.substr(colon + 1));
  if (!rest.empty() && rest.front() != '#') return {};
  const std::string_view name = body.substr(0, colon);
  const bool plain =
      std::all_of(name.begin(), name.end(), [](char c) { return is_word_byte(c) || c == '-' || c == '.'; });
  return plain ? std::string(name) : std::string();
}

void Proposal::read_blocks() {
  const std::string_view parent = ci_ ? "jobs" : "services";
  std::size_t i = 0;
  while (i < lines_.size() && !(indent_of(lines_[i]) == 0 && key_of(lines_[i]) == parent)) ++i;
  std::size_t indent = 0;
  for (++i; i < lines_.size(); ++i) {
    if (says_nothing(lines_[i])) continue;
    const std::size_t own = indent_of(lines_[i]);
    if (own == 0) break;
    if (indent == 0) indent = own;
    if (own != indent) continue;
    const std::string name = key_of(lines_[i]);
    if (!blocks_.empty() && blocks_.back().end == 0) blocks_.back().end = i;
    blocks_.push_back({i, 0, name, {}, false});
  }
  if (!blocks_.empty()) blocks_.back().end = std::min(i, lines_.size());
  // Comments and blank lines above the next key are that one's.
  for (Block& block : blocks_)
    while (block.end > block.begin + 1 && says_nothing(lines_[block.end - 1])) --block.end;
}

void Proposal::read_places() {
  for (const Occurrence& o : file_.occurrences) {
    if (o.category == Category::none || o.category == Category::docs_metadata || !o.decided_by.empty()) continue;
    for (Block& block : blocks_) {
      if (o.line <= block.begin || o.line > block.end) continue;
      block.places.push_back(&o);
      block.on_cards |= o.category == Category::visibility || o.api.starts_with(kImage);
    }
  }
}

bool Proposal::has_block(std::string_view name) const {
  return std::any_of(blocks_.begin(), blocks_.end(), [&](const Block& block) { return block.name == name; });
}

/// Where the value of the key on this line ends: deeper lines, and items of a list at the same depth.
std::size_t Proposal::end_of_entry(std::size_t line, const Block& block) const {
  const std::size_t indent = indent_of(lines_[line]);
  std::size_t end = line + 1;
  while (end < block.end && (says_nothing(lines_[end]) || indent_of(lines_[end]) > indent ||
                             (indent_of(lines_[end]) == indent && trim(lines_[end]).starts_with("- "))))
    ++end;
  return end;
}

/// A line with what the platform has instead; `checks` gets what a person must see to.
std::string Proposal::edited(std::size_t line, const Block& block, std::vector<std::string>& checks) const {
  std::string out(lines_[line]);
  std::set<std::uint32_t> done;
  for (auto it = block.places.rbegin(); it != block.places.rend(); ++it) {  // from the end, so that offsets hold
    const Occurrence& o = **it;
    if (o.line != line + 1 || o.end_line != o.line) continue;
    const std::string_view set = slice(text_, o.span);
    const std::size_t at = o.span.begin - begins_[line];
    if (!done.insert(o.span.begin).second || at + set.size() > out.size()) continue;
    const Counterpart* other =
        o.api.starts_with(kVariable) ? platform_.find_counterpart("variable", o.api.substr(4)) : nullptr;
    const bool value = set.front() == '"' || set.front() == '\'' || !set.starts_with("docker://");
    if (o.api.starts_with(kImage) && value && contains_ignoring_case(set, o.api.substr(kImage.size()))) {
      out.replace(at, set.size(), fill(table_.image));
    } else if (other != nullptr && !other->target.empty() && other->note.empty() && set.starts_with(o.api.substr(4))) {
      out.replace(at, o.api.size() - kVariable.size(), other->target);
    } else {
      checks.push_back(fmt::format("{}: {}", o.text.substr(0, 60), o.reason));
    }
  }
  return out;
}

std::string Proposal::snippet(const Block& block) const {
  const std::size_t indent = indent_of(lines_[block.begin]);
  const std::string margin(indent, ' ');
  std::vector<std::string> checks;
  std::string body;
  std::size_t inner = 0;
  for (std::size_t i = block.begin; i < block.end; ++i) {
    std::string line = edited(i, block, checks);
    if (i == block.begin) {
      const std::size_t end = line.find(block.name) + block.name.size();
      line.insert(end, "-" + platform_.name);
    } else if (!says_nothing(line)) {
      if (inner == 0) inner = indent_of(line);
      const std::string_view key = trim(line);
      if (indent_of(line) == inner && ci_ && key.starts_with("runs-on:")) {
        line = fmt::format("{}runs-on: {}", std::string(inner, ' '), fill(table_.runner));
        i = end_of_entry(i, block) - 1;
      } else if (indent_of(line) == inner && !ci_ && key.starts_with("runtime:")) {
        line = fmt::format("{}# left out: {}", std::string(inner, ' '), key);
      }
    }
    body += line + "\n";
  }
  if (!ci_ && !platform_.container.empty() && body.find(platform_.container) == std::string::npos)
    checks.push_back(fmt::format("the service gets its cards by {} in its environment", platform_.container));
  std::string head;
  std::set<std::string> said;
  for (const std::string& check : checks)
    if (said.insert(check).second) head += fmt::format("{}# check: {}\n", margin, check);
  return head + body;
}

std::vector<Advice> Proposal::run() {
  read_lines();
  read_blocks();
  read_places();
  const Block* first = nullptr;
  std::string others;
  for (const Block& block : blocks_) {
    if (!block.on_cards || block.name.empty() || block.name.ends_with("-" + platform_.name) ||
        has_block(block.name + "-" + platform_.name))
      continue;
    if (first == nullptr) {
      first = &block;
    } else {
      others += (others.empty() ? "" : ", ") + block.name;
    }
  }
  if (first == nullptr) return {};
  std::string text = fmt::format("{} stays; a {} for {} beside '{}' could be:", file_.path, ci_ ? "job" : "service",
                                 platform_.title, first->name);
  if (!others.empty())
    text = fmt::format("{} stays; a {} for {} beside '{}' could be as below, and the same for {}:", file_.path,
                       ci_ ? "job" : "service", platform_.title, first->name, others);
  return {{std::move(text), file_.path, static_cast<std::uint32_t>(first->begin + 1), snippet(*first)}};
}

}  // namespace

std::vector<Advice> proposed_block(const AuditedFile& file, std::string_view text, const Platform& platform,
                                   const BesideTable& table) {
  return Proposal(file, text, platform, table).run();
}

}  // namespace accelport
