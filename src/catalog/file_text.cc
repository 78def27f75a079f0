#include "catalog/file_text.h"

#include <algorithm>

namespace accelport {

std::size_t FileText::first(const std::string& literal) const {
  const auto known = std::find_if(answers_.begin(), answers_.end(), [&](const auto& a) { return a.first == &literal; });
  if (known != answers_.end()) return known->second;
  return answers_.emplace_back(&literal, text_.find(literal)).second;
}

}  // namespace accelport
