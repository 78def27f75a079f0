#include "audit/identify.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace accelport {
namespace {

/// Occurrences of "cuda" in `text` with their ids.
std::vector<Occurrence> identified(const std::string& path, const std::string& text, const Rule* rule = nullptr) {
  const LineTable lines(text);
  std::vector<Occurrence> occurrences;
  for (std::size_t at = text.find("cuda"); at != std::string::npos; at = text.find("cuda", at + 1)) {
    Occurrence occurrence;
    occurrence.span = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + 4)};
    occurrence.line = lines.position(occurrence.span.begin).line;
    occurrence.end_line = lines.position(occurrence.span.end).line;
    occurrence.rule = rule;
    occurrences.push_back(std::move(occurrence));
  }
  assign_ids(path, text, lines, occurrences);
  return occurrences;
}

TEST(AssignIds, OtherLinesDoNotMatter) {
  const auto before = identified("a.py", "x.cuda()\n");
  const auto after = identified("a.py", "import os\n\nx.cuda()\nprint(1)\n");
  EXPECT_EQ(before[0].id, after[0].id);
  EXPECT_EQ(before[0].id.size(), 16u);
}

TEST(AssignIds, BlanksAreFolded) {
  EXPECT_EQ(identified("a.py", "x = f(y.cuda())")[0].id, identified("a.py", "\tx  =  f(y.cuda())  \r\n")[0].id);
}

TEST(AssignIds, PathRuleAndTextMatter) {
  Rule rule;
  rule.id = "some-rule";
  const std::string id = identified("a.py", "x.cuda()")[0].id;
  EXPECT_NE(id, identified("b.py", "x.cuda()")[0].id);
  EXPECT_NE(id, identified("a.py", "y.cuda()")[0].id);
  EXPECT_NE(id, identified("a.py", "x.cuda()", &rule)[0].id);
}

TEST(AssignIds, EqualsAreNumbered) {
  std::set<std::string> ids;
  for (const Occurrence& occurrence : identified("a.py", "cuda cuda\ncuda cuda\ncuda\n")) ids.insert(occurrence.id);
  EXPECT_EQ(ids.size(), 5u);
}

TEST(AssignIds, AnEndlessLineTakesLinearTime) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "x = 'cuda'; ";
  std::set<std::string> ids;
  for (const Occurrence& occurrence : identified("a.py", text)) ids.insert(occurrence.id);
  EXPECT_EQ(ids.size(), 100'000u);
}

}  // namespace
}  // namespace accelport
