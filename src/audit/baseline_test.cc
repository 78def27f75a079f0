#include "audit/baseline.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace accelport {
namespace {

using testing::HasSubstr;

Audit audit_of(const std::vector<std::pair<std::string, std::string>>& ids_and_texts) {
  Audit audit;
  audit.files.emplace_back();
  for (const auto& [id, text] : ids_and_texts) {
    Occurrence occurrence;
    occurrence.id = id;
    occurrence.text = text;
    occurrence.category = Category::device_selection;
    occurrence.decision = Decision::abstract;
    audit.files[0].occurrences.push_back(std::move(occurrence));
  }
  return audit;
}

std::string error_of(std::string_view json) {
  const auto baseline = Baseline::parse(json, "base.json");
  return baseline ? "" : to_string(baseline.error());
}

TEST(Baseline, GoesThroughAFile) {
  Audit audit = audit_of({{"1", "x.cuda"}, {"2", "gr\xFC\xDF.cuda"}});
  const auto baseline = Baseline::parse(write_baseline(audit), "base.json");
  ASSERT_TRUE(baseline);
  EXPECT_EQ(baseline->size(), 2u);
  baseline->mark(audit);
  EXPECT_EQ(audit.baseline_matched, 2u);
}

TEST(Baseline, MovedCodeIsNotNewEvenIfItIsNotUtf8) {
  const auto baseline =
      Baseline::parse(write_baseline(audit_of({{"1", "x.cuda"}, {"2", "gr\xFC\xDF.cuda"}})), "base.json");
  ASSERT_TRUE(baseline);
  Audit moved = audit_of({{"3", "x.cuda"}, {"4", "gr\xFC\xDF.cuda"}, {"5", "new.cuda"}});
  baseline->mark(moved);
  EXPECT_TRUE(moved.files[0].occurrences[0].baseline);
  EXPECT_TRUE(moved.files[0].occurrences[1].baseline);
  EXPECT_FALSE(moved.files[0].occurrences[2].baseline);
  EXPECT_EQ(moved.baseline_matched, 2u);
}

TEST(Baseline, IsAMultiset) {
  const Baseline baseline = Baseline::of(audit_of({{"1", "x.cuda"}}));
  Audit copied = audit_of({{"2", "x.cuda"}, {"1", "x.cuda"}, {"3", "x.cuda"}});
  baseline.mark(copied);
  EXPECT_FALSE(copied.files[0].occurrences[0].baseline);
  EXPECT_TRUE(copied.files[0].occurrences[1].baseline);  // its id is the known one
  EXPECT_FALSE(copied.files[0].occurrences[2].baseline);
}

TEST(Baseline, HoldsOnlyWhatNeedsWork) {
  Audit audit = audit_of({{"1", "x.cuda"}, {"2", "y.cuda"}});
  audit.files[0].occurrences[1].decision = Decision::retain;
  EXPECT_EQ(Baseline::parse(write_baseline(audit), "b")->size(), 1u);
}

TEST(Baseline, BrokenFilesHaveClearErrors) {
  EXPECT_THAT(error_of("{"), HasSubstr("base.json: not valid JSON"));
  EXPECT_THAT(error_of("[]"), HasSubstr("is no baseline"));
  EXPECT_THAT(error_of("{\"schema\": \"accelport.other/1\"}"), HasSubstr("'accelport.other/1' is no baseline"));
  EXPECT_THAT(error_of("{\"schema\": \"accelport.baseline/1\"}"), HasSubstr("'occurrences' is missing"));
  EXPECT_EQ(error_of("{\"schema\": \"accelport.audit/1\", \"occurrences\": [1, {\"id\": 2}]}"), "");
}

TEST(ParseDecisions, TakesWhatPersonsDecided) {
  const auto decisions = parse_decisions(
      "{\"id\": \"1\", \"who\": \"person\", \"decision\": \"retain\", \"reason\": \"why\"}\n\n"
      "{\"id\": \"2\", \"who\": \"rule\", \"decision\": \"abstract\"}\r\n"
      "{\"id\": \"3\", \"who\": \"person\", \"decision\": \"unsupported\", \"machine\": \"other\"}",
      "d.jsonl");
  ASSERT_TRUE(decisions);
  ASSERT_EQ(decisions->size(), 2u);
  EXPECT_EQ((*decisions)[0].decision, Decision::retain);
  EXPECT_EQ((*decisions)[0].reason, "why");
  EXPECT_TRUE((*decisions)[0].made_here);
  EXPECT_FALSE((*decisions)[1].made_here);
}

TEST(ParseDecisions, BrokenLinesAreNamed) {
  const auto broken = parse_decisions("{}\n{\"id\": \n", "d.jsonl");
  ASSERT_FALSE(broken);
  EXPECT_THAT(to_string(broken.error()), HasSubstr("d.jsonl:2: not a JSON object"));
  const auto unknown = parse_decisions("{\"who\": \"person\", \"decision\": \"maybe\"}", "d.jsonl");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(to_string(unknown.error()), HasSubstr("d.jsonl:1: 'maybe' is no decision"));
}

}  // namespace
}  // namespace accelport
