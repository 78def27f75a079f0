#include "prove/shell_proof.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "prove/shell_statements.h"
#include "syntax/shell_lexer.h"

namespace accelport {
namespace {

/// Bytes of the ported text that the original may lack.
struct Extra {
  Span span;
  std::string_view name;  // of the variable
};

struct Setting {
  std::string_view name;
  std::optional<std::string_view> value;
};

Setting setting_of(std::string_view word) {
  std::size_t size = 0;
  while (size < word.size() && is_word_byte(word[size])) ++size;
  if (size < word.size() && word[size] == '=') return {word.substr(0, size), word.substr(size + 1)};
  if (word.substr(size, 2) == "+=") return {word.substr(0, size), word.substr(size)};
  return {word, std::nullopt};
}

bool holds(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view p) { return text.find(p) != text.npos; });
}

/// Whether to expand the value twice is as good as once.
bool may_repeat(std::string_view value, StatementKind kind) {
  if (holds(value, {"`", "$(", "<(", ">(", "++", "--", "RANDOM", "SECONDS", "EPOCH", "BASHPID"})) return false;
  if (holds(value, {"${"}) && holds(value, {"="})) return false;
  const bool splits = kind == StatementKind::declaration || kind == StatementKind::environment;
  return !splits || !holds(value, {"$@", "$*", "{@", "{*", "[@", "[*"});
}

/// `${A:-x}` with another name in the place of A.
std::string renamed(std::string_view value, std::string_view from, std::string_view to) {
  std::string out(value);
  for (const std::string_view by : {":-", "-"}) {
    const std::string old = "${" + std::string(from) + std::string(by), now = "${" + std::string(to) + std::string(by);
    for (std::size_t at = out.find(old); at != out.npos; at = out.find(old, at + now.size()))
      out.replace(at, old.size(), now);
  }
  return out;
}

std::string read_of(std::string_view name) { return "\"$" + std::string(name) + "\""; }

class ShellProver {
 public:
  ShellProver(std::string_view original, std::string_view ported, bool settings,
              const std::vector<const Platform*>& platforms)
      : original_(original), ported_(ported), settings_(settings), platforms_(platforms) {}

  Proof run();

 private:
  bool stands_for(std::string_view name, std::string_view cuda) const;
  void find_in_statements();
  void find_in_statement(const ShellStatement& statement);
  bool find_behind(const ShellStatement& anchor, const ShellStatement& last, const ShellStatement& statement);
  void find_in_lines();
  void compare();
  void check_reads();
  void differ(std::size_t original, std::size_t ported, std::string what);

  std::string_view original_;
  std::string_view ported_;
  bool settings_;
  const std::vector<const Platform*>& platforms_;
  std::vector<Extra> extras_;
  std::vector<std::string_view> used_;  // names of extras that the original does lack
  Proof proof_;
};

bool ShellProver::stands_for(std::string_view name, std::string_view cuda) const {
  return name != cuda && std::any_of(platforms_.begin(), platforms_.end(), [&](const Platform* platform) {
           const Counterpart* counterpart = platform->find_counterpart("variable", cuda);
           return counterpart != nullptr && counterpart->target == name;
         });
}

/// `A=v B=v`, `export A B`, `unset A B`: B behind the A that it stands for.
void ShellProver::find_in_statement(const ShellStatement& statement) {
  std::optional<Setting> last;
  for (std::size_t i = 0; i < statement.items.size(); ++i) {
    const Setting item = setting_of(slice(ported_, statement.items[i]));
    if (!last || !stands_for(item.name, last->name)) {
      last = item;
      continue;
    }
    const bool named = !item.value && !last->value &&
                       (statement.kind == StatementKind::declaration || statement.kind == StatementKind::removal);
    const bool same = item.value && last->value && !item.value->starts_with("+=") &&
                      (*item.value == *last->value || *item.value == renamed(*last->value, last->name, item.name)) &&
                      may_repeat(*item.value, statement.kind);
    const bool taken =
        item.value && last->value && statement.kind == StatementKind::bare && *item.value == read_of(last->name);
    const std::uint32_t behind = statement.items[i].end;
    const bool ends = behind == ported_.size() || !holds("<>(", {ported_.substr(behind, 1)});
    if (ends && (named || same || taken))
      extras_.push_back({{statement.items[i - 1].end, statement.items[i].end}, item.name});
  }
}

/// `export A=…`, and on the next lines `export B="$A"`. `last` is the statement in front of `statement`.
bool ShellProver::find_behind(const ShellStatement& anchor, const ShellStatement& last,
                              const ShellStatement& statement) {
  if (anchor.kind != StatementKind::declaration || statement.kind != anchor.kind || !anchor.whole_line ||
      !statement.whole_line || slice(ported_, anchor.head) != slice(ported_, statement.head) || statement.items.empty())
    return false;
  const auto is_counterpart = [&](Span span) {
    const Setting item = setting_of(slice(ported_, span));
    return std::any_of(anchor.items.begin(), anchor.items.end(), [&](Span old) {
      const Setting cuda = setting_of(slice(ported_, old));
      return cuda.value && item.value && stands_for(item.name, cuda.name) && *item.value == read_of(cuda.name);
    });
  };
  const std::string_view between = slice(ported_, {last.line_end, statement.head.begin});
  const bool next = std::count(between.begin(), between.end(), '\n') == 1;
  if (!std::all_of(statement.items.begin(), statement.items.end(), is_counterpart) || !next ||
      statement.line_end != statement.items.back().end)
    return false;
  extras_.push_back({{last.line_end, statement.line_end}, setting_of(slice(ported_, statement.items[0])).name});
  return true;
}

void ShellProver::find_in_statements() {
  const std::vector<ShellStatement> statements = shell_statements(ported_);
  const ShellStatement* anchor = nullptr;
  const ShellStatement* last = nullptr;
  for (const ShellStatement& statement : statements) {
    find_in_statement(statement);
    if (statement.inside) continue;
    if (anchor == nullptr || !find_behind(*anchor, *last, statement)) anchor = &statement;
    last = &statement;
  }
  std::sort(extras_.begin(), extras_.end(), [](const Extra& a, const Extra& b) { return a.span.begin < b.span.begin; });
}

/// Lines `B=v` behind the line `A=v`.
void ShellProver::find_in_lines() {
  std::string_view last;
  for (std::size_t begin = 0; begin < ported_.size();) {
    std::size_t end = std::min(ported_.find('\n', begin), ported_.size());
    const std::size_t next = end + 1;
    if (end > begin && ported_[end - 1] == '\r') --end;
    const std::string_view line = ported_.substr(begin, end - begin);
    const std::size_t head = line.starts_with("export ") ? 7 : 0;
    const Setting item = setting_of(line.substr(head)), before = setting_of(last.substr(std::min(head, last.size())));
    const bool same =
        item.value && before.value && *item.value == *before.value && last.substr(0, head) == line.substr(0, head);
    if (same && stands_for(item.name, before.name)) {
      const auto from = static_cast<std::uint32_t>(last.data() + last.size() - ported_.data());
      const std::uint32_t own = extras_.empty() ? 0 : extras_.back().span.end;
      extras_.push_back({{std::max(from, own), static_cast<std::uint32_t>(end)}, item.name});
    } else {
      last = line;
    }
    begin = next;
  }
}

void ShellProver::differ(std::size_t original, std::size_t ported, std::string what) {
  const auto line = [](std::string_view text, std::size_t at) {
    return static_cast<std::uint32_t>(1 +
                                      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  };
  proof_.verdict = Proof::Verdict::different;
  proof_.differences.push_back({line(original_, original), line(ported_, ported), std::move(what)});
}

void ShellProver::compare() {
  std::size_t i = 0, k = 0;
  const auto same_until = [&](std::size_t end) {
    while (k < end && i < original_.size() && original_[i] == ported_[k]) ++i, ++k;
    return k == end;
  };
  for (const Extra& extra : extras_) {
    if (!same_until(extra.span.begin)) break;
    if (original_.substr(i).starts_with(slice(ported_, extra.span))) continue;
    k = extra.span.end;
    used_.push_back(extra.name);
  }
  if (!same_until(ported_.size()) || i != original_.size())
    differ(i, k, "not the original with the platforms' variables set beside CUDA's");
}

/// A script that asks for a variable may go another way once it is set, unless it only keeps a value that is there:
/// `B=${B:-…`.
void ShellProver::check_reads() {
  for (const std::string_view name : used_)
    for (std::size_t at = original_.find(name); at != original_.npos; at = original_.find(name, at + 1)) {
      if (at == 0 || !holds("${!#", {original_.substr(at - 1, 1)})) continue;
      std::string_view before = original_.substr(0, at);
      if (before.ends_with("${")) before.remove_suffix(2);
      if (before.ends_with('"')) before.remove_suffix(1);
      if (before.ends_with(std::string(name) + "=")) continue;
      return differ(at, 0, fmt::format("the script asks for {} itself, which is set now", name));
    }
}

Proof ShellProver::run() {
  if (settings_) {
    find_in_lines();
  } else {
    const ShellLexer lexer(ported_, {0, static_cast<std::uint32_t>(ported_.size())});
    if (lexer.damage() > 0)
      return {Proof::Verdict::unreadable, {{0, 1, "ported: the text cannot be read as a shell script"}}};
    find_in_statements();
  }
  compare();
  check_reads();
  return std::move(proof_);
}

}  // namespace

Proof prove_shell(std::string_view original, std::string_view ported, bool settings,
                  const std::vector<const Platform*>& platforms) {
  if (original == ported) return {};
  return ShellProver(original, ported, settings, platforms).run();
}

}  // namespace accelport
