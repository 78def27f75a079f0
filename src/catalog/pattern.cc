#include "catalog/pattern.h"

#include <utility>

#include <re2/re2.h>

#include "base/text.h"

namespace accelport {
namespace {

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

RE2::Options options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_max_mem(4 << 20);
  return options;
}

}  // namespace

struct Pattern::Impl {
  explicit Impl(std::string_view expression) : re(piece(expression), options()) {}
  RE2 re;
};

Result<Pattern> Pattern::compile(std::string_view expression) {
  auto impl = std::make_shared<const Impl>(expression);
  if (!impl->re.ok()) {
    return fail(Error::Kind::data, "the regular expression is not valid: " + impl->re.error(), {},
                "the syntax is RE2's: no look-ahead, no back-references");
  }
  Pattern pattern;
  pattern.impl_ = std::move(impl);
  return pattern;
}

bool Pattern::found_in(std::string_view text) const {
  return impl_->re.Match(piece(text), 0, text.size(), RE2::UNANCHORED, nullptr, 0);
}

const std::string& Pattern::expression() const { return impl_->re.pattern(); }

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
