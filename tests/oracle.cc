#include "oracle.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "syntax/reader.h"
#include "syntax/scan.h"
#include "syntax/tree.h"

namespace accelport {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDifferences = 200;

const Site* narrowest(const std::vector<Site>& sites, std::uint32_t offset) {
  const Site* best = nullptr;
  for (const Site& site : sites) {
    if (site.span.begin > offset) break;
    if (site.span.contains(offset) && (best == nullptr || site.span.size() <= best->span.size())) best = &site;
  }
  return best;
}

bool agrees(const Site& site, const PythonTree::Place& place) {
  if (site.kind != place.kind) return false;
  if (place.kind == SiteKind::docstring) return true;
  // The grammar's comments hold the "\r" of a line end.
  if (place.kind == SiteKind::comment) return site.span.begin == place.span.begin && place.span.end - site.span.end < 3;
  if (site.span != place.span) return false;
  // The grammar knows nothing of hits, so it cannot tell which name of an import counts.
  const Context context = site.context == Context::import_binding ? Context::import_name : site.context;
  return context == place.context && site.argument == place.argument;
}

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

void compare_with_tree(const std::string& path, const std::string& source, const std::vector<std::string>& words,
                       OracleCount& count) {
  std::vector<LiteralScanner::Literal> literals;
  for (const std::string& word : words) literals.push_back({word, true});
  std::string padded = source;
  padded.append(kTextPadding, '\0');
  const std::string_view text(padded.data(), source.size());
  std::vector<Hit> hits;
  LiteralScanner(literals).scan(text, hits);
  if (hits.empty()) return;
  const PythonTree tree(text);
  if (tree.damaged()) return;
  ReadOutput output;
  read_python({path, text, {Language::python, FileRole::none}, hits, nullptr}, output);
  const LineTable lines(text);
  bool in_step = true;
  ++count.files;
  std::uint32_t before = ~0u;
  for (const Hit& hit : hits) {
    if (hit.offset == before) continue;
    before = hit.offset;
    const PythonTree::Place place = tree.at(hit.offset);
    if (place.kind == SiteKind::text) continue;
    ++count.hits;
    const Site* site = narrowest(output.sites, hit.offset);
    if (site != nullptr && agrees(*site, place)) {
      ++count.agreeing;
      continue;
    }
    in_step = in_step && site != nullptr && site->kind == place.kind;
    if (count.differences.size() >= kMaxDifferences) continue;
    const Position at = lines.position(hit.offset);
    count.differences.push_back(fmt::format(
        "{}:{}:{}: {} reader {}/{}/{} tree {}/{}/{}", path, at.line, at.column, slice(text, lines.line(at.line)),
        site == nullptr ? -1 : static_cast<int>(site->kind), site == nullptr ? -1 : static_cast<int>(site->context),
        site == nullptr ? std::string_view{} : slice(text, site->span).substr(0, 60), static_cast<int>(place.kind),
        static_cast<int>(place.context), slice(text, place.span).substr(0, 60)));
  }
  if (!in_step) ++count.out_of_step;
}

OracleCount compare_folder(const std::string& folder, const std::vector<std::string>& words, std::uint64_t limit) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
    if (entry.is_regular_file() && entry.path().extension() == ".py") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  OracleCount count;
  std::uint64_t bytes = 0;
  for (const fs::path& file : files) {
    const std::string text = read_file(file);
    if (bytes + text.size() > limit) continue;
    bytes += text.size();
    compare_with_tree(file.string(), text, words, count);
  }
  return count;
}

}  // namespace accelport
