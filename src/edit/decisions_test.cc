#include "edit/decisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "audit/baseline.h"

namespace accelport {
namespace {

using nlohmann::json;

Audit three_occurrences() {
  Audit audit;
  audit.files.emplace_back();
  audit.files[0].path = "a.py";
  for (const char* id : {"0000000000000001", "0000000000000002", "0000000000000003"}) {
    Occurrence occurrence;
    occurrence.id = id;
    occurrence.line = 7;
    occurrence.category = Category::distributed;
    occurrence.decision = Decision::replace;
    occurrence.reason = "because \"so\"";
    audit.files[0].occurrences.push_back(occurrence);
  }
  return audit;
}

Plan first_settled_second_left() {
  Plan plan;
  plan.changes.emplace_back();
  plan.changes[0].path = "a.py";
  plan.changes[0].edits.push_back({{0, 1}, "x", {"0000000000000001"}, ""});
  plan.unchanged.push_back(
      {"a.py", "0000000000000002", 7, Category::distributed, Decision::replace, "t", "in a docstring"});
  return plan;
}

std::vector<json> rows_of(const std::string& lines) {
  std::vector<json> rows;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    rows.push_back(json::parse(lines.substr(begin, end - begin)));
    begin = end + 1;
  }
  return rows;
}

TEST(DecisionLines, OneForEachSettledOrLeft) {
  const auto rows = rows_of(decision_lines(three_occurrences(), first_settled_second_left(), "abc"));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["outcome"], "settled");
  EXPECT_EQ(rows[0]["who"], "rule");
  EXPECT_EQ(rows[0]["path"], "a.py");
  EXPECT_EQ(rows[0]["line"], 7);
  EXPECT_EQ(rows[0]["category"], "distributed");
  EXPECT_EQ(rows[0]["decision"], "replace");
  EXPECT_EQ(rows[0]["reason"], "because \"so\"");
  EXPECT_EQ(rows[0]["base"], "abc");
  EXPECT_EQ(rows[1]["outcome"], "left");
  EXPECT_EQ(rows[1]["left_because"], "in a docstring");
}

TEST(DecisionLines, AMappedValueIsSettledByItsReader) {
  Plan plan = first_settled_second_left();
  plan.mapped.push_back({"a.py", "0000000000000003", 7, "train.py:12"});
  const auto rows = rows_of(decision_lines(three_occurrences(), plan, "abc"));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[2]["outcome"], "settled");
  EXPECT_EQ(rows[2]["mapped_by"], "train.py:12");
  EXPECT_FALSE(rows[0].contains("mapped_by"));
}

TEST(DecisionLines, AnAuditTakesNoneOfThemForAPersons) {
  Audit audit = three_occurrences();
  audit.files[0].occurrences[0].decided_by = "comment";
  audit.files[0].occurrences[1].decided_by = "accelport.toml";
  const std::string lines = decision_lines(audit, first_settled_second_left(), "");
  EXPECT_EQ(rows_of(lines)[0]["who"], "comment");
  EXPECT_EQ(rows_of(lines)[1]["who"], "settings");
  const auto decisions = parse_decisions(lines, "d");
  ASSERT_TRUE(decisions);
  EXPECT_TRUE(decisions->empty());
}

TEST(DecisionLines, APersonsOwnLineIsNotRepeated) {
  Audit audit = three_occurrences();
  audit.files[0].occurrences[0].decided_by = "decisions.jsonl";
  EXPECT_EQ(rows_of(decision_lines(audit, first_settled_second_left(), "")).size(), 1u);
}

TEST(MergeDecisions, RenewsOwnLinesAndKeepsPersons) {
  const std::string lines = decision_lines(three_occurrences(), first_settled_second_left(), "new");
  const std::string person = R"({"id":"0000000000000001","who":"person","decision":"retain","reason":"mine"})"
                             "\n";
  const std::string old = decision_lines(three_occurrences(), first_settled_second_left(), "old");
  EXPECT_EQ(merge_decisions(person + old + "not ours", lines), person + "not ours\n" + lines);
  EXPECT_EQ(merge_decisions("", lines), lines);
  const auto decisions = parse_decisions(merge_decisions(person, lines), "d");
  ASSERT_TRUE(decisions);
  ASSERT_EQ(decisions->size(), 1u);
  EXPECT_EQ((*decisions)[0].reason, "mine");
}

}  // namespace
}  // namespace accelport
