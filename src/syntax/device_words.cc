#include "syntax/device_words.h"
#include "syntax/listed.h"

#include <algorithm>
#include <string>

namespace accelport {
namespace {

constexpr std::string_view kOthers[] = {
    "xpu",    "npu",   "hip",      "rocm",    "hpu",     "tpu",    "xla",    "mlu",   "gcu",  "ipu",
    "vulkan", "maca",  "sycl",     "oneapi",  "cann",    "ascend", "habana", "gaudi", "amd",  "hcc",
    "amdgpu", "hipcc", "rocm-smi", "npu-smi", "xpu-smi", "neuron", "vpu",    "hccl",  "rccl", "xccl"};
constexpr std::string_view kNvidia[] = {"nvcc",   "nvidia",      "nvml",       "cudnn", "hopper",
                                        "ampere", "compute_cap", "capability", "sm_"};
constexpr std::string_view kBackends[] = {"nccl", "gloo", "mpi"};
constexpr std::string_view kRank[] = {"rank", "local_rank", "node_rank", "slurm_procid"};

bool listed_inside(std::string_view word, std::string_view part) { return word.find(part) != std::string_view::npos; }

Guard guard_of_word(std::string_view word, const ReaderFacts* facts) {
  for (const std::string_view name : kNvidia) {
    if (listed_inside(word, name)) return Guard::nvidia;
  }
  if (listed(word, kBackends)) return Guard::backend_name;
  if (listed(word, kRank)) return Guard::rank;
  if (listed_inside(word, "cuda") || word == "gpu" || word == "gpus") return Guard::available;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= word.size(); ++i) {
    if (i < word.size() && word[i] != '_' && word[i] != '-') continue;
    if (is_other_device(word.substr(begin, i - begin), facts)) return Guard::other_platform;
    begin = i + 1;
  }
  return Guard::none;
}

bool is_condition_byte(char c) { return is_word_byte(c) || c == '-'; }

}  // namespace

bool is_other_device(std::string_view word, const ReaderFacts* facts) {
  return listed(word, kOthers) || (facts != nullptr && facts->device_words.contains(std::string(word)));
}

Guard guard_of_condition(std::string_view condition, const ReaderFacts* facts) {
  const std::string lower = ascii_lower(condition.substr(0, 2000));
  Guard guard = lower.find('$') != std::string::npos ? Guard::option : Guard::none;
  bool compares = lower.find('=') != std::string::npos;
  bool negated = false;
  for (std::size_t i = 0; i < lower.size();) {
    if (!is_condition_byte(lower[i])) {
      if (lower[i] == '!' && (i + 1 >= lower.size() || lower[i + 1] != '=')) negated = true;
      if (lower.compare(i, 2, "!=") == 0) negated = true;
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < lower.size() && is_condition_byte(lower[end])) ++end;
    const std::string_view word = std::string_view(lower).substr(i, end - i);
    if (word == "not") negated = true;
    Guard one = guard_of_word(word, facts);
    if (one == Guard::available && compares && word.substr(0, 4) == "cuda") one = Guard::device_type;
    guard |= one;
    i = end;
  }
  return negated ? guard_of_else(guard) | (has(guard, Guard::option) ? Guard::option : Guard::none) : guard;
}

Guard guard_of_else(Guard condition) {
  Guard guard = Guard::none;
  if (has(condition, Guard::available | Guard::nvidia)) guard |= Guard::unavailable;
  if (has(condition, Guard::device_type)) guard |= Guard::not_device_type;
  if (has(condition, Guard::other_platform)) guard |= Guard::family;
  if (has(condition, Guard::option)) guard |= Guard::option;
  if (has(condition, Guard::backend_name)) guard |= Guard::backend_name;
  if (has(condition, Guard::rank)) guard |= Guard::rank;
  return guard;
}

}  // namespace accelport
