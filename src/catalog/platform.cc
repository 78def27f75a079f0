#include "catalog/platform.h"

#include <algorithm>

namespace accelport {
namespace {

bool is_class_name(std::string_view component) {
  return !component.empty() && component.front() >= 'A' && component.front() <= 'Z';
}

}  // namespace

std::string api_key(std::string_view name) {
  std::string key(name);
  for (std::size_t at = key.find("()"); at != std::string::npos; at = key.find("()", at)) key.erase(at, 2);
  const std::size_t dot = key.find('.');
  if (dot != std::string::npos && is_class_name(std::string_view(key).substr(0, dot))) key.replace(0, dot, "?");
  return key;
}

void ApiIndex::add(std::string_view name, std::uint32_t number) {
  std::string key = api_key(name);
  if (key.empty() || key.back() != '*') {
    std::vector<std::uint32_t>& numbers = names_[std::move(key)];
    if (numbers.empty() || numbers.back() != number) numbers.push_back(number);
    return;
  }
  key.pop_back();
  auto at = prefixes_.begin();
  while (at != prefixes_.end() && at->first != key && at->first.size() >= key.size()) ++at;
  if (at == prefixes_.end() || at->first != key) at = prefixes_.insert(at, {std::move(key), {}});
  at->second.push_back(number);
}

const std::vector<std::uint32_t>* ApiIndex::find(std::string_view name) const {
  const auto at = names_.find(name);
  return at == names_.end() ? nullptr : &at->second;
}

const std::vector<std::uint32_t>* ApiIndex::find_prefix(std::string_view name) const {
  for (const auto& [prefix, numbers] : prefixes_) {
    if (name.substr(0, prefix.size()) == prefix) return &numbers;
  }
  return nullptr;
}

const ApiRow* Platform::find_api(std::string_view name) const {
  const std::string key = api_key(name);
  const auto* numbers = api_index.find(key);
  if (numbers == nullptr) numbers = api_index.find_prefix(key);
  return numbers == nullptr ? nullptr : &api[numbers->front()];
}

const Counterpart* Platform::find_counterpart(std::string_view kind, std::string_view name) const {
  for (const Counterpart& counterpart : counterparts) {
    if (counterpart.kind == kind && counterpart.cuda == name) return &counterpart;
  }
  return nullptr;
}

std::vector<const SemanticFact*> Platform::facts_for(std::string_view api_name, std::string_view first_argument) const {
  std::vector<std::uint32_t> numbers;
  const std::string key = api_key(api_name);
  const auto take = [&](const std::vector<std::uint32_t>* found) {
    if (found != nullptr) numbers.insert(numbers.end(), found->begin(), found->end());
  };
  take(fact_index.find(key));
  fact_index.each_prefix(key, [&](std::uint32_t number) { numbers.push_back(number); });
  if (!first_argument.empty()) {
    const std::string argument(first_argument);
    take(fact_index.find(key + "('" + argument + "')"));
    take(fact_index.find(key + "(" + argument + ")"));
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<const SemanticFact*> out;
  for (const std::uint32_t number : numbers) out.push_back(&facts[number]);
  return out;
}

}  // namespace accelport
