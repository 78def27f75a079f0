#include "edit/configured.h"

#include <algorithm>

#include "syntax/listed.h"
#include "syntax/python_strings.h"

namespace accelport {
namespace {

constexpr std::string_view kDevice = "configured_device";
constexpr std::string_view kBackend = "configured_backend";
constexpr std::string_view kDeviceKeywords[] = {"device", "map_location", "device_type"};
constexpr std::string_view kGroups[] = {"init_process_group", "init_distributed"};
constexpr std::string_view kBackendKeywords[] = {"backend", "dist_backend"};
/// What people call a configuration or parsed arguments, the whole name or what it ends with.
constexpr std::string_view kOwners[] = {"args",    "arg",  "opt",     "opts", "options", "cfg",     "config",
                                        "configs", "conf", "hparams", "hps",  "flags",   "settings"};
constexpr std::string_view kOwnerEnds[] = {"_args", "_opts",    "_options", "_cfg",     "_config",
                                           "_conf", "_hparams", "_flags",   "_settings"};

/// They show a value or look at it, and do nothing on a device.
constexpr std::string_view kLookers[] = {"print",   "str",     "repr",   "len",   "isinstance", "hasattr",
                                         "getattr", "setattr", "info",   "debug", "warning",    "error",
                                         "log",     "format",  "append", "open",  "join",       "exists"};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

/// A dictionary of parameters; as an object it would be a tensor or a list of them.
bool is_dictionary(std::string_view name) { return name == "params" || name.ends_with("_params"); }

bool is_owner(std::string_view name) {
  const std::string word = lower(name);
  return listed(word, kOwners) || std::any_of(std::begin(kOwnerEnds), std::end(kOwnerEnds),
                                              [&](std::string_view end) { return word.ends_with(end); });
}

class UseFinder {
 public:
  UseFinder(const PythonSource& source, const ConfiguredKeys& keys) : source_(source), keys_(keys) {}

  std::vector<ConfiguredUse> run();

 private:
  void look(std::uint32_t token);
  void take(std::uint32_t last, std::uint32_t plain, std::string key);
  bool has_owner(std::uint32_t first, std::uint32_t last) const;
  bool is_whole(std::uint32_t first, std::uint32_t last) const;
  std::string_view wanted_by(std::uint32_t first) const;
  std::string_view wanted_by_function(std::uint32_t open) const;
  bool is_value(std::uint32_t token) const;
  bool is_compared(std::uint32_t first, std::uint32_t last) const;
  bool is_handed_on(std::uint32_t first) const;
  bool is_op(std::uint32_t i, char op) const { return source_.lexed.is_op(i, op); }

  const PythonSource& source_;
  const ConfiguredKeys& keys_;
  std::vector<ConfiguredUse> uses_;
};

/// Names and constant keys, one of the names a configuration's; what is called or picked by a variable is some other
/// object, which has a device of its own.
bool UseFinder::has_owner(std::uint32_t first, std::uint32_t last) const {
  bool found = false;
  for (std::uint32_t i = first; i < last; ++i) {
    const PyKind kind = source_.token(i).kind;
    if (kind == PyKind::name) {
      const std::string_view name = source_.text_of(i);
      found = found || is_owner(name) || (is_dictionary(name) && is_op(i + 1, '['));
      if (i > first && is_op(i - 1, '[')) return false;
    } else if (kind != PyKind::string && !is_op(i, '.') && !is_op(i, '[') && !is_op(i, ']')) {
      return false;
    }
  }
  return found;
}

/// The expression is an argument, or what a conditional argument gives.
bool UseFinder::is_whole(std::uint32_t first, std::uint32_t last) const {
  const bool ends = is_op(last + 1, ',') || is_op(last + 1, ')') || source_.token(last + 1).word() == PyWord::if_;
  const bool begins = is_op(first - 1, '(') || is_op(first - 1, '=') || is_op(first - 1, ',') ||
                      source_.token(first - 1).word() == PyWord::else_;
  return begins && ends;
}

/// The function of the helper that maps what a call's first argument is.
std::string_view UseFinder::wanted_by_function(std::uint32_t open) const {
  if (open < 1) return {};
  const std::string_view name = source_.text_of(open - 1);
  const bool attribute = open >= 3 && is_op(open - 2, '.');
  if (name == "to" && attribute) return kDevice;
  if (name == "device" && attribute && source_.text_of(open - 3) == "torch") return kDevice;
  if (name == "autocast") return kDevice;
  return listed(name, kGroups) ? kBackend : std::string_view();
}

std::string_view UseFinder::wanted_by(std::uint32_t first) const {
  const PyMark& mark = source_.mark(first);
  if (mark.frame != PyFrame::call || mark.opener == kNoToken || mark.opener < 1) return {};
  const std::uint32_t item = mark.item;
  if (source_.mark(item).opener != mark.opener) return {};
  if (is_op(item + 1, '=') && item != first) {
    const std::string_view keyword = source_.text_of(item);
    if (listed(keyword, kDeviceKeywords)) return kDevice;
    const bool group =
        source_.text_of(mark.opener - 1) == "new_group" || listed(source_.text_of(mark.opener - 1), kGroups);
    return group && listed(keyword, kBackendKeywords) ? kBackend : std::string_view();
  }
  return item == mark.opener + 1 ? wanted_by_function(mark.opener) : std::string_view();
}

/// "cuda", "nccl" or the like, or a list in which one is.
bool UseFinder::is_value(std::uint32_t token) const {
  if (token >= source_.lexed.tokens.size()) return false;
  const bool listed = is_op(token, '(') || is_op(token, '[') || is_op(token, '{');
  const std::uint32_t end = listed ? source_.mark(token).mate : token + 1;
  if (end == kNoToken) return false;
  for (std::uint32_t t = token; t < end; ++t) {
    if (source_.token(t).kind != PyKind::string) continue;
    std::string value;
    append_string_value(source_.text_of(t), value);
    if (value == "cuda" || value.starts_with("cuda:") || value == "nccl") return true;
  }
  return false;
}

/// Compared with a value that the port changes: both sides change together.
bool UseFinder::is_compared(std::uint32_t first, std::uint32_t last) const {
  const auto equality = [&](std::uint32_t t) {
    return source_.lexed.is_op(t, '=', '=') || source_.lexed.is_op(t, '!', '=');
  };
  const std::size_t size = source_.lexed.tokens.size();
  if (last + 2 < size && equality(last + 1)) return is_value(last + 2);
  if (last + 2 < size && source_.token(last + 1).word() == PyWord::in_) return is_value(last + 2);
  if (last + 3 < size && source_.token(last + 1).word() == PyWord::not_ &&
      source_.token(last + 2).word() == PyWord::in_)
    return is_value(last + 3);
  return first >= 2 && equality(first - 1) && source_.token(first - 2).kind == PyKind::string && is_value(first - 2);
}

/// An argument of some function of the program, which compares it or makes a device of it.
bool UseFinder::is_handed_on(std::uint32_t first) const {
  const PyMark& mark = source_.mark(first);
  if (mark.frame != PyFrame::call || mark.opener == kNoToken || mark.opener < 1) return false;
  const std::uint32_t callee = mark.opener - 1;
  return source_.token(callee).kind == PyKind::name && !listed(source_.text_of(callee), kLookers) &&
         !is_owner(source_.text_of(callee));
}

/// The primary expression that ends with `last`; up to `plain` it must be one that reads a configuration.
void UseFinder::take(std::uint32_t last, std::uint32_t plain, std::string key) {
  const std::uint32_t first = source_.mark(last).primary;
  if (first == 0 || first >= last || !has_owner(first, plain)) return;
  const bool compared = is_compared(first, last);
  if (!compared && !is_whole(first, last)) return;
  const auto& functions = keys_.find(key)->second;
  ConfiguredUse use;
  use.span = {source_.token(first).begin, source_.token(last).end};
  use.key = std::move(key);
  const bool called = is_op(first - 1, '(') && first >= 4 && is_op(first - 3, '.');
  if (called && functions.count(source_.text_of(first - 2)) != 0) {
    use.function = source_.text_of(first - 2);
    use.mapped = true;
  } else {
    use.function = compared ? std::string_view() : wanted_by(first);
    if (use.function.empty() && functions.size() == 1 && (compared || is_handed_on(first)))
      use.function = *functions.begin();
    if (use.function.empty() || functions.count(use.function) == 0) return;
  }
  uses_.push_back(std::move(use));
}

void UseFinder::look(std::uint32_t t) {
  const PyToken& token = source_.token(t);
  if (t < 2) return;
  if (token.kind == PyKind::name) {
    std::string name(source_.text_of(t));
    if (is_op(t - 1, '.') && keys_.find(name) != keys_.end()) take(t, t, std::move(name));
  } else if (token.kind == PyKind::string) {
    std::string value;
    append_string_value(source_.text_of(t), value);
    if (keys_.find(value) == keys_.end()) return;
    if (is_op(t - 1, '[') && is_op(t + 1, ']')) return take(t + 1, t + 1, std::move(value));
    const bool get = t >= 4 && is_op(t - 1, '(') && source_.text_of(t - 2) == "get" && is_op(t - 3, '.');
    if (get && source_.mark(t - 1).mate != kNoToken) take(source_.mark(t - 1).mate, t - 2, std::move(value));
  }
}

std::vector<ConfiguredUse> UseFinder::run() {
  for (std::uint32_t t = 0; t + 1 < source_.lexed.tokens.size(); ++t) look(t);
  std::sort(uses_.begin(), uses_.end(),
            [](const ConfiguredUse& a, const ConfiguredUse& b) { return a.span.begin < b.span.begin; });
  return std::move(uses_);
}

}  // namespace

std::vector<ConfiguredUse> find_configured(const PythonSource& source, const ConfiguredKeys& keys) {
  return UseFinder(source, keys).run();
}

std::string configured_name(std::string_view key) {
  while (key.ends_with(".[]")) key.remove_suffix(3);
  key = key.substr(key.rfind('.') + 1);
  key.remove_prefix(std::min(key.find_first_not_of("-+"), key.size()));
  std::string name(key);
  std::replace(name.begin(), name.end(), '-', '_');
  return std::all_of(name.begin(), name.end(), is_word_byte) ? name : std::string();
}

}  // namespace accelport
