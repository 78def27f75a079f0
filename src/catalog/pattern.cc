#include "catalog/pattern.h"

#include <utility>

#include <re2/re2.h>

#include "base/text.h"

namespace accelport {
namespace {

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

RE2::Options options(bool captures = false) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(!captures);
  options.set_max_mem(4 << 20);
  return options;
}

tl::unexpected<Error> not_valid(const RE2& re) {
  return fail(Error::Kind::data, "the regular expression is not valid: " + re.error(), {},
              "the syntax is RE2's: no look-ahead, no back-references");
}

}  // namespace

struct Pattern::Impl {
  explicit Impl(std::string_view expression) : re(piece(expression), options()) {}
  RE2 re;
};

Result<Pattern> Pattern::compile(std::string_view expression) {
  auto impl = std::make_shared<const Impl>(expression);
  if (!impl->re.ok()) return not_valid(impl->re);
  Pattern pattern;
  pattern.impl_ = std::move(impl);
  return pattern;
}

bool Pattern::found_in(std::string_view text) const {
  return impl_->re.Match(piece(text), 0, text.size(), RE2::UNANCHORED, nullptr, 0);
}

const std::string& Pattern::expression() const { return impl_->re.pattern(); }

struct CapturePattern::Impl {
  explicit Impl(std::string_view expression) : re(piece(expression), options(true)) {
    for (const auto& [group, name] : re.CapturingGroupNames()) {
      groups.push_back(group);
      names.push_back(name);
    }
  }
  RE2 re;
  std::vector<int> groups;
  std::vector<std::string> names;
};

Result<CapturePattern> CapturePattern::compile(std::string_view expression) {
  auto impl = std::make_shared<const Impl>(expression);
  if (!impl->re.ok()) return not_valid(impl->re);
  CapturePattern pattern;
  pattern.impl_ = std::move(impl);
  return pattern;
}

const std::vector<std::string>& CapturePattern::names() const { return impl_->names; }

std::vector<std::vector<std::string_view>> CapturePattern::matches(std::string_view text, std::size_t limit) const {
  std::vector<std::vector<std::string_view>> found;
  std::vector<re2::StringPiece> groups(static_cast<std::size_t>(impl_->re.NumberOfCapturingGroups()) + 1);
  const re2::StringPiece whole = piece(text);
  for (std::size_t at = 0; at <= text.size() && found.size() < limit;) {
    if (!impl_->re.Match(whole, at, text.size(), RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size())))
      break;
    std::vector<std::string_view> row;
    for (const int group : impl_->groups) {
      const re2::StringPiece& part = groups[static_cast<std::size_t>(group)];
      row.emplace_back(part.data(), part.size());
    }
    found.push_back(std::move(row));
    const auto end = static_cast<std::size_t>(groups[0].data() - text.data()) + groups[0].size();
    at = groups[0].empty() ? end + 1 : end;
  }
  return found;
}

void NameSet::add(std::string name) {
  if (name.find('*') == std::string::npos) {
    exact_.insert(name);
  } else {
    globs_.push_back(name);
  }
  names_.push_back(std::move(name));
}

bool NameSet::contains(std::string_view name) const {
  if (!exact_.empty() && exact_.find(name) != exact_.end()) return true;
  for (const std::string& glob : globs_) {
    if (glob_match(glob, name)) return true;
  }
  return false;
}

}  // namespace accelport
