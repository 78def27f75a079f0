#include "audit/copies.h"

#include <algorithm>
#include <map>

#include "base/hash.h"
#include "base/text.h"
#include "syntax/device_words.h"

namespace accelport {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;
/// Shorter files are alike by chance.
constexpr std::size_t kMinLines = 20;
/// The share of the copy's lines that also stand in the original.
constexpr double kAlike = 0.7;

struct Named {
  std::string key;     // the path without device words
  bool other = false;  // it names an accelerator other than the one that is ported from
};

/// Takes the device words out of a path: whole parts between "/", "_", "-" and ".".
Named without_device_words(const std::string& path, const std::unordered_set<std::string>& words) {
  Named named;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find_first_of("/_-.", begin), path.size());
    const std::string part = ascii_lower(std::string_view(path).substr(begin, end - begin));
    const bool other = words.count(part) != 0 || is_other_device(part, nullptr);
    named.other = named.other || other;
    if (!other && part != "cuda" && part != "gpu" && !part.empty()) named.key += part + "/";
    begin = end + 1;
  }
  return named;
}

std::vector<std::uint64_t> sorted_lines(const Candidate& candidate, const Files& files) {
  std::vector<std::uint64_t> lines;
  ByteBuffer bytes;
  if (!files.read(candidate.full_path, kMaxBytes, bytes)) return lines;
  for (std::string_view rest = bytes.view(); !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = trim(rest.substr(0, end));
    if (!line.empty() && line.front() != '#') lines.push_back(hash_of(line));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

bool nearly_repeats(const Candidate& copy, const Candidate& original, const Files& files) {
  const std::vector<std::uint64_t> a = sorted_lines(copy, files);
  const std::vector<std::uint64_t> b = sorted_lines(original, files);
  if (a.size() < kMinLines || b.size() < kMinLines) return false;
  std::vector<std::uint64_t> shared;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(shared));
  return static_cast<double>(shared.size()) >= kAlike * static_cast<double>(a.size());
}

}  // namespace

std::unordered_map<std::string, std::string> find_platform_copies(const std::vector<Candidate>& candidates,
                                                                  const std::unordered_set<std::string>& device_words,
                                                                  const Files& files) {
  std::map<std::string, const Candidate*> originals;  // by key; the first in path order
  std::vector<std::pair<std::string, const Candidate*>> others;
  for (const Candidate& candidate : candidates) {
    if (!candidate.path.ends_with(".py") || candidate.size > kMaxBytes) continue;
    Named named = without_device_words(candidate.path, device_words);
    if (named.other) {
      others.emplace_back(std::move(named.key), &candidate);
    } else {
      originals.emplace(std::move(named.key), &candidate);
    }
  }
  std::unordered_map<std::string, std::string> copies;
  for (const auto& [key, copy] : others) {
    const auto original = originals.find(key);
    if (original != originals.end() && nearly_repeats(*copy, *original->second, files))
      copies.emplace(copy->path, original->second->path);
  }
  return copies;
}

}  // namespace accelport
