// tests/rewriter/rows.jsonl: what a port of a small source must change and what it must leave.

#include <algorithm>
#include <ostream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "support.h"

namespace accelport::test {
namespace {

struct Row {
  int number = 0;
  std::string file;
  std::string source;
  std::vector<std::string> change;
  std::vector<std::string> stay;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.source; }

std::vector<Row> read_rows() {
  ByteBuffer bytes;
  const auto read = real_files().read(std::string(ACCELPORT_SOURCE_DIR) + "/tests/rewriter/rows.jsonl", 1 << 20, bytes);
  EXPECT_TRUE(read);
  std::vector<Row> rows;
  std::string_view rest = bytes.view();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), end + 1));
    if (line.empty()) continue;
    const auto json = nlohmann::json::parse(line);
    rows.push_back({json["case"], json["file"], json["src"], json["change"], json["stay"]});
  }
  return rows;
}

bool is_changed(const Occurrence& o) {
  return o.action != PortAction::none || o.decision == Decision::abstract || o.decision == Decision::replace ||
         o.decision == Decision::fallback;
}

bool stays(const Occurrence& o) {
  return o.action == PortAction::none || o.decision == Decision::retain || o.decision == Decision::ignore;
}

/// Every place of `fragment` in the source.
std::vector<Span> places_of(const std::string& fragment, const std::string& source) {
  std::vector<Span> places;
  for (std::size_t at = source.find(fragment); at != std::string::npos; at = source.find(fragment, at + 1))
    places.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + fragment.size())});
  EXPECT_FALSE(places.empty()) << fragment;
  return places;
}

class RewriterRow : public testing::TestWithParam<Row> {};

TEST_P(RewriterRow, ChangesAndStaysAreRight) {
  const Row& row = GetParam();
  MemoryFiles files;
  files.put(row.file, row.source);
  const Audit audit = audit_of(".", files);
  std::string all;
  std::vector<Occurrence> found;
  for (const AuditedFile& file : audit.files)
    for (const Occurrence& o : file.occurrences) {
      all += "\n    found " + describe(file, o);
      found.push_back(o);
    }
  const auto overlap = [](const Occurrence& o, Span span) {
    return o.span.begin < span.end && span.begin < o.span.end;
  };
  for (const std::string& fragment : row.change)
    for (const Span span : places_of(fragment, row.source)) {
      const auto covers = [&](const Occurrence& o) { return overlap(o, span) && is_changed(o); };
      EXPECT_TRUE(std::any_of(found.begin(), found.end(), covers))
          << fragment << " at " << span.begin << " must change" << all;
    }
  for (const std::string& fragment : row.stay)
    for (const Span span : places_of(fragment, row.source)) {
      const auto moves = [&](const Occurrence& o) { return overlap(o, span) && !stays(o); };
      EXPECT_TRUE(std::none_of(found.begin(), found.end(), moves))
          << fragment << " at " << span.begin << " must stay" << all;
    }
}

std::string row_name(const testing::TestParamInfo<Row>& info) { return "case" + std::to_string(info.param.number); }

INSTANTIATE_TEST_SUITE_P(Rows, RewriterRow, testing::ValuesIn(read_rows()), row_name);

}  // namespace
}  // namespace accelport::test
