// PyNames' reading of import statements.

#include <algorithm>

#include "syntax/python_names.h"

namespace accelport {
namespace {

constexpr std::size_t kMaxParts = 32;  // of a module's path

}  // namespace

bool PyNames::starts_own(std::string_view path) { return path == "own" || path.substr(0, 4) == "own."; }

bool PyNames::hit_in(std::uint32_t begin, std::uint32_t end) const {
  const auto hit = std::lower_bound(input_.hits.begin(), input_.hits.end(), begin,
                                    [](const Hit& h, std::uint32_t offset) { return h.offset < offset; });
  return hit != input_.hits.end() && hit->offset < end;
}

std::string PyNames::owned(std::string path) const {
  if (input_.facts == nullptr || starts_own(path)) return path;
  const std::string root = path.substr(0, path.find('.'));
  return input_.facts->own_modules.count(root) != 0 ? "own." + path : path;
}

void PyNames::read_imports() {
  for (const PyLine& line : lexed_.lines) {
    if (!line.imports) continue;
    bool begins = true;
    for (std::uint32_t i = line.first; i < line.last;) {
      const PyWord word = begins ? lexed_.tokens[i].word() : PyWord::none;
      begins = false;
      if (word == PyWord::import_) {
        i = read_import(i, line.last);
      } else if (word == PyWord::from_) {
        i = read_from(i, line.last);
      } else {
        begins = lexed_.is_op(i, ';') || lexed_.is_op(i, ':');
        ++i;
      }
    }
  }
  for (std::uint32_t i = 0; i < imports_.size(); ++i)
    if (imports_[i].bound != kNoToken) binding_imports_.push_back(i);
}

/// Reads `a.b.c` at `i`, with leading dots for a relative import, and moves `i` behind it.
std::string PyNames::module_path(std::uint32_t& i, std::uint32_t end, bool& has_hit) const {
  std::string path;
  bool relative = false;
  while (i < end && lexed_.tokens[i].kind == PyKind::op && lexed_.tokens[i].op == '.') {
    relative = true;
    ++i;
  }
  const std::uint32_t first = i;
  std::size_t parts = 0;
  while (i < end && annotator_.is_plain_name(i)) {
    if (++parts <= kMaxParts) {
      if (!path.empty()) path += '.';
      path += lexed_.text_of(i);
    }
    ++i;
    if (i + 1 >= end || !lexed_.is_op(i, '.')) break;
    ++i;
  }
  if (i > first) has_hit = has_hit || hit_in(lexed_.tokens[first].begin, lexed_.tokens[i - 1].end);
  if (relative) return path.empty() ? "own" : "own." + path;
  return owned(std::move(path));
}

void PyNames::add_import(Import import, std::uint32_t alias) {
  imports_.push_back(std::move(import));
  if (alias == kNoToken) return;
  Import second = imports_.back();
  second.token = alias;
  second.module = false;
  second.has_hit = second.has_hit || hit_in(lexed_.tokens[alias].begin, lexed_.tokens[alias].end);
  imports_.back().bound = kNoToken;
  imports_.push_back(std::move(second));
}

std::uint32_t PyNames::read_import(std::uint32_t i, std::uint32_t end) {
  const std::uint32_t statement = i++;
  while (i < end) {
    Import import;
    import.statement = statement;
    import.token = i;
    import.module = true;
    import.path = module_path(i, end, import.has_hit);
    if (i == import.token) break;
    std::uint32_t alias = kNoToken;
    if (lexed_.tokens[i].word() == PyWord::as_ && i + 1 < end) {
      alias = i + 1;
      i += 2;
      import.bound = alias;
      import.bound_size = static_cast<std::uint32_t>(import.path.size());
    } else {
      import.bound = import.token;
      const std::size_t root = import.path.find('.', starts_own(import.path) ? 4 : 0);
      import.bound_size = static_cast<std::uint32_t>(std::min(root, import.path.size()));
    }
    add_import(std::move(import), alias);
    if (!lexed_.is_op(i, ',')) break;
    ++i;
  }
  return i;
}

std::uint32_t PyNames::read_from(std::uint32_t i, std::uint32_t end) {
  const std::uint32_t statement = i++;
  Import module;
  module.statement = statement;
  module.module = true;
  module.path = module_path(i, end, module.has_hit);
  module.token = i - 1;
  while (module.token > statement + 1 && lexed_.is_op(module.token - 1, '.') &&
         annotator_.is_plain_name(module.token - 2)) {
    module.token -= 2;
  }
  if (i >= end || lexed_.tokens[i].word() != PyWord::import_) return i;
  ++i;
  const std::string path = module.path;
  const bool module_hit = module.has_hit;
  imports_.push_back(std::move(module));
  if (lexed_.is_op(i, '(')) ++i;
  if (lexed_.is_op(i, '*')) {
    stars_.push_back(path);
    return i + 1;
  }
  while (i < end && annotator_.is_plain_name(i)) {
    Import import;
    import.statement = statement;
    import.token = import.bound = i;
    import.path = path + "." + std::string(lexed_.text_of(i));
    import.bound_size = static_cast<std::uint32_t>(import.path.size());
    import.has_hit = module_hit || hit_in(lexed_.tokens[i].begin, lexed_.tokens[i].end);
    ++i;
    std::uint32_t alias = kNoToken;
    if (lexed_.tokens[i].word() == PyWord::as_ && i + 1 < end) {
      alias = i + 1;
      import.bound = alias;
      i += 2;
    }
    add_import(std::move(import), alias);
    if (!lexed_.is_op(i, ',')) break;
    ++i;
  }
  return i;
}

const PyNames::Import* PyNames::import_at(std::uint32_t token) const {
  const auto found = std::lower_bound(imports_.begin(), imports_.end(), token,
                                      [](const Import& import, std::uint32_t t) { return import.token < t; });
  return found != imports_.end() && found->token == token ? &*found : nullptr;
}

bool PyNames::is_beside_hit(const Import& import) const {
  const bool alias = import.token > 0 && lexed_.tokens[import.token - 1].word() == PyWord::as_;
  auto before = static_cast<std::size_t>(&import - imports_.data());
  if (alias && before > 0 && imports_[before - 1].has_hit) return true;
  while (before > 0 && imports_[before - 1].statement == import.statement) {
    if (imports_[--before].module) return imports_[before].has_hit;
  }
  return false;
}

}  // namespace accelport
