#include "syntax/cxx_conditions.h"

#include <algorithm>
#include <string>

#include "syntax/device_words.h"

namespace accelport {
namespace {

constexpr std::size_t kMaxDepth = 1024;
constexpr std::string_view kHostMacros[] = {"_WIN32",
                                            "_MSC_VER",
                                            "__cplusplus",
                                            "__GNUC__",
                                            "NDEBUG",
                                            "__linux__",
                                            "__APPLE__",
                                            "WIN32",
                                            "__clang__",
                                            "_WIN64",
                                            "defined",
                                            "__has_include",
                                            "DEBUG",
                                            "__aarch64__",
                                            "__x86_64__",
                                            "__INTEL_COMPILER",
                                            "__unix__",
                                            "TORCH_VERSION_MAJOR",
                                            "TORCH_VERSION_MINOR",
                                            "_OPENMP",
                                            "__AVX2__",
                                            "__AVX512F__",
                                            "__SSE__",
                                            "true",
                                            "false",
                                            "Py_LIMITED_API",
                                            "PY_VERSION_HEX"};

bool is_host_macro(std::string_view name) {
  return std::find(std::begin(kHostMacros), std::end(kHostMacros), name) != std::end(kHostMacros);
}

bool is_include_guard(std::string_view name) {
  const std::string lower = ascii_lower(name);
  return lower.ends_with("_h") || lower.ends_with("_h_") || lower.ends_with("_h__") || lower.ends_with("_hpp") ||
         lower.ends_with("_cuh") || lower.ends_with("_cuh_") || lower.ends_with("_hpp_") || lower.ends_with("_inc") ||
         lower.ends_with("_hh");
}

/// "__VENDORCC__" and "__VENDOR_ARCH__" of compilers other than nvcc.
bool is_foreign_compiler(std::string_view name) {
  if (!name.starts_with("__") || name.find("CUDA") != std::string_view::npos || name == "__NVCC__") return false;
  return name.ends_with("CC__") || name.ends_with("_ARCH__");
}

Guard guard_of_macro(std::string_view name, const ReaderFacts* facts) {
  if (is_host_macro(name) || is_ascii_digit(name.front())) return Guard::none;
  const std::string lower = ascii_lower(name);
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= lower.size(); ++i) {
    if (i < lower.size() && lower[i] != '_') continue;
    if (is_other_device(std::string_view(lower).substr(begin, i - begin), facts)) return Guard::other_platform;
    begin = i + 1;
  }
  if (is_foreign_compiler(name)) return Guard::other_platform;
  if (name == "__CUDA_ARCH__" || name == "CUDA_VERSION" || name == "CUDART_VERSION" || name == "CUDNN_VERSION" ||
      name == "__CUDACC_VER_MAJOR__" || name == "NCCL_VERSION_CODE" ||
      lower.find("cudart_version") != std::string::npos)
    return Guard::nvidia;
  if (lower.find("cuda") != std::string::npos || name == "__NVCC__") return Guard::cuda_only_source;
  return Guard::preprocessor;
}

bool word_start(std::string_view text, std::size_t i) {
  return is_word_byte(text[i]) && (i == 0 || !is_word_byte(text[i - 1]));
}

/// "!" in front of the word, a `defined` and its bracket apart.
bool is_negated(std::string_view text, std::size_t i) {
  while (i > 0 && (is_ascii_space(text[i - 1]) || text[i - 1] == '(')) --i;
  if (i >= 7 && text.substr(i - 7, 7) == "defined") i -= 7;
  while (i > 0 && is_ascii_space(text[i - 1])) --i;
  return i > 0 && text[i - 1] == '!';
}

Guard negated(Guard guard) {
  if (has(guard, Guard::other_platform)) return Guard::family | Guard::preprocessor;
  if (has(guard, Guard::cuda_only_source | Guard::nvidia)) return Guard::preprocessor | Guard::unavailable;
  return guard;
}

}  // namespace

Guard guard_of_directive(std::string_view directive, std::string_view condition, const ReaderFacts* facts) {
  condition = condition.substr(0, 4000);
  Guard all = Guard::none;
  for (std::size_t i = 0; i < condition.size();) {
    if (!word_start(condition, i)) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < condition.size() && is_word_byte(condition[end])) ++end;
    const std::string_view name = condition.substr(i, end - i);
    Guard one = directive == "ifndef" && is_include_guard(name) ? Guard::none : guard_of_macro(name, facts);
    if (directive == "ifndef" || is_negated(condition, i)) one = negated(one);
    if (has(one, Guard::other_platform | Guard::nvidia | Guard::cuda_only_source)) one |= Guard::preprocessor;
    all |= one;
    i = end;
  }
  if (has(all, Guard::other_platform) && has(all, Guard::cuda_only_source | Guard::nvidia)) all |= Guard::family;
  return all;
}

Guard guard_of_expression(std::string_view condition, const ReaderFacts* facts) {
  condition = condition.substr(0, 2000);
  Guard all = Guard::none;
  for (std::size_t i = 0; i < condition.size();) {
    if (!word_start(condition, i)) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < condition.size() && is_word_byte(condition[end])) ++end;
    const std::string lower = ascii_lower(condition.substr(i, end - i));
    Guard one = Guard::none;
    if (lower == "is_cuda" || lower == "iscuda" || lower == "kcuda" || lower == "cuda")
      one = Guard::device_type;
    else if (lower == "hascuda" || lower == "is_available" || lower == "device_count" || lower == "devicecount")
      one = Guard::available;
    else if (lower.find("capability") != std::string::npos || lower == "major" ||
             lower.find("sm_version") != std::string::npos || lower == "sm")
      one = Guard::nvidia;
    else if (lower.starts_with("is_") && is_other_device(std::string_view(lower).substr(3), facts))
      one = Guard::other_platform;
    else if (lower.starts_with("has") && is_other_device(std::string_view(lower).substr(3), facts))
      one = Guard::other_platform;
    else if (is_other_device(lower, facts) ||
             (lower.starts_with('k') && is_other_device(std::string_view(lower).substr(1), facts)))
      one = Guard::other_platform;
    std::size_t back = i;  // to the start of the chain: "!x.device().is_cuda()"
    while (back > 0 && i - back < 100 &&
           (is_word_byte(condition[back - 1]) || condition[back - 1] == '.' || condition[back - 1] == ':' ||
            (condition[back - 1] == ')' && back > 1 && condition[back - 2] == '(') ||
            (condition[back - 1] == '(' && back < condition.size() && condition[back] == ')')))
      --back;
    const bool differs =
        condition.substr(0, i).ends_with("!= ") || (back >= 3 && condition.substr(0, back).ends_with("!= "));
    if ((back > 0 && condition[back - 1] == '!') || differs) one = guard_of_else(one);
    all |= one;
    i = end;
  }
  return all;
}

void CxxConditions::take(std::string_view directive, std::string_view condition) {
  if (directive == "if" || directive == "ifdef" || directive == "ifndef") {
    if (open_.size() >= kMaxDepth) {
      ++too_deep_;
      return;
    }
    const Guard guard = guard_of_directive(directive, condition, facts_);
    open_.push_back({guards(), guard, guard});
    return;
  }
  if (open_.empty()) return;
  if (directive == "endif") {
    if (too_deep_ > 0)
      --too_deep_;
    else
      open_.pop_back();
    return;
  }
  if (too_deep_ > 0) return;
  Level& level = open_.back();
  if (directive == "elif") {
    level.branch = guard_of_directive("if", condition, facts_);
    if (has(level.seen | level.branch, Guard::other_platform)) level.branch |= Guard::family | Guard::preprocessor;
    level.seen |= level.branch;
  } else if (directive == "else") {
    // What was family before ("not ROCm") leaves the other platform's branch, and the other way round.
    const bool other = has(level.seen, Guard::other_platform);
    level.branch =
        has(level.seen, Guard::family) && !other ? Guard::other_platform | Guard::preprocessor : negated(level.seen);
  }
}

}  // namespace accelport
