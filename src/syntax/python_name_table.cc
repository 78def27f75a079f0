#include <array>
#include <cstring>
#include <string>

#include "syntax/python_lexer.h"

namespace accelport {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(PyWord::count)> kWords = {
    "",      "and",  "as",     "assert",   "async",   "await", "break",    "class",  "continue",   "def",
    "del",   "elif", "else",   "except",   "finally", "for",   "from",     "global", "if",         "import",
    "in",    "is",   "lambda", "nonlocal", "not",     "or",    "pass",     "raise",  "return",     "try",
    "while", "with", "yield",  "case",     "match",   "type",  "print",    "exec",   "self",       "cls",
    "None",  "True", "False",  "exit",     "quit",    "skip",  "skipTest", "_exit",  "pytestmark", "torch"};

std::uint64_t load8(const char* p) {
  std::uint64_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

/// The next eight bytes of a name, zeros behind its end.
std::uint64_t load_name(const char* name, std::uint32_t size) {
  const std::uint64_t bytes = load8(name);
  return size >= 8 ? bytes : bytes & ((std::uint64_t{1} << (8 * size)) - 1);
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t bytes) {
  hash = (hash ^ bytes) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 32);
}

std::uint64_t hash_name(const char* name, std::uint32_t size, std::uint64_t head) {
  std::uint64_t hash = mix(size, head);
  for (std::uint32_t i = 8; i < size; i += 8) hash = mix(hash, load_name(name + i, size - i));
  return hash;
}

}  // namespace

PyNameTable::PyNameTable() {
  slots_.resize(4096);
  for (const std::string_view word : kWords) {
    char padded[32] = {};
    std::memcpy(padded, word.data(), word.size());
    const auto size = static_cast<std::uint32_t>(word.size());
    const std::uint64_t head = load_name(padded, size);
    add(word, hash_name(padded, size, head), head, ~0u);
  }
}

void PyNameTable::clear() {
  names_.resize(kWords.size());
  for (Name& name : names_) name.first = name.last = kNoToken;
  if (++epoch_ == ~0u) {
    for (Slot& slot : slots_)
      if (slot.epoch != ~0u) slot.epoch = 0;
    epoch_ = 1;
  }
}

std::uint32_t PyNameTable::add(std::string_view text, std::uint64_t hash, std::uint64_t head, std::uint32_t epoch) {
  const auto number = static_cast<std::uint32_t>(names_.size());
  names_.push_back({text, hash, head, kNoToken, kNoToken});
  place(number, epoch);
  if (names_.size() * 2 > slots_.size()) grow();
  return number;
}

void PyNameTable::place(std::uint32_t name, std::uint32_t epoch) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = names_[name].hash & mask;
  while (slots_[i].epoch == ~0u || slots_[i].epoch == epoch_) i = (i + 1) & mask;
  slots_[i] = {names_[name].head, static_cast<std::uint32_t>(names_[name].text.size()), name, epoch};
}

void PyNameTable::grow() {
  slots_.assign(slots_.size() * 2, {});
  for (std::uint32_t i = 0; i < names_.size(); ++i) place(i, i < kWords.size() ? ~0u : epoch_);
}

std::uint32_t PyNameTable::look_up(const char* name, std::uint32_t size, std::uint64_t hash, std::uint64_t head) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.epoch != epoch_ && slot.epoch != ~0u) return 0;
    if (slot.head != head || slot.size != size) continue;
    if (size <= 8 || std::memcmp(names_[slot.name].text.data() + 8, name + 8, size - 8) == 0) return slot.name;
  }
}

std::uint32_t PyNameTable::intern(const char* name, std::uint32_t size) {
  const std::uint64_t head = load_name(name, size);
  const std::uint64_t hash = hash_name(name, size, head);
  const std::uint32_t known = look_up(name, size, hash, head);
  return known != 0 ? known : add({name, size}, hash, head, epoch_);
}

std::uint32_t PyNameTable::find(std::string_view name) const {
  if (name.empty()) return 0;
  std::string padded(name);
  padded.append(8, '\0');
  const auto size = static_cast<std::uint32_t>(name.size());
  const std::uint64_t head = load_name(padded.data(), size);
  return look_up(padded.data(), size, hash_name(padded.data(), size, head), head);
}

std::uint32_t PyNameTable::append(std::uint32_t name, std::uint32_t token) {
  Name& entry = names_[name];
  const std::uint32_t before = entry.last;
  entry.last = token;
  if (before == kNoToken) entry.first = token;
  return before;
}

}  // namespace accelport
