#include "machine/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace accelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const EvidenceState kNow = {{"device_count", "2"}, {"driver", "3.3.0"}, {"machine", "4e1c"}, {"plug_in", "2.9.1"},
                            {"tool", "0.1.0"},     {"torch", "2.9.1"},  {"tree", "abc1"}};

/// A line as the writer makes it; `end` is empty for the one written before the attempt.
std::string line_of(const std::string& attempt, const std::string& verdict, const std::string& end) {
  return R"({"schema":"accelport.evidence/1","id":"forward","attempt":")" + attempt + R"(","verdict":")" + verdict +
         R"(","simulated":false,"on":"nova","command":["python","case.py"],"begin":"2026-01-02T03:04:05Z")" +
         (end.empty() ? "" : R"(,"end":")" + end + "\"") +
         R"(,"values":{"loss":2.5,"note":"a \"word\""},"state":{"device_count":2,"driver":"3.3.0","machine":"4e1c",)"
         R"("plug_in":"2.9.1","tool":"0.1.0","torch":"2.9.1","tree":"abc1"}})"
         "\n";
}

EvidenceSet read(const std::string& text) {
  EvidenceSet set;
  add_evidence(text, "e.jsonl", set);
  return set;
}

Evidence whole() { return read(line_of("a1", "pass", "2026-01-02T03:04:09Z")).attempts.at(0); }

TEST(Evidence, ReadsEveryField) {
  const Evidence evidence = whole();
  EXPECT_EQ(evidence.id, "forward");
  EXPECT_EQ(evidence.verdict, RungVerdict::pass);
  EXPECT_FALSE(evidence.simulated);
  EXPECT_TRUE(evidence.ended);
  EXPECT_EQ(evidence.on, "nova");
  EXPECT_THAT(evidence.command, ElementsAre("python", "case.py"));
  EXPECT_EQ(evidence.values.at("loss"), "2.5");
  EXPECT_EQ(evidence.values.at("note"), "a \"word\"");
  EXPECT_EQ(evidence.state, kNow);
  EXPECT_EQ(evidence.place, "e.jsonl:1");
}

TEST(Evidence, TheLineWrittenAfterReplacesTheOneBefore) {
  const std::string before = line_of("a1", "unknown", ""), after = line_of("a1", "fail", "2026-01-02T03:04:09Z");
  for (const std::string& text : {before + after, after + before}) {
    const EvidenceSet set = read(text);
    ASSERT_THAT(set.attempts, SizeIs(1));
    EXPECT_EQ(set.attempts[0].verdict, RungVerdict::fail);
    EXPECT_TRUE(set.attempts[0].ended);
  }
  EXPECT_THAT(read(before + line_of("a2", "pass", "2026-01-02T03:04:09Z")).attempts, SizeIs(2));
}

TEST(Evidence, AnAttemptThatWasKilledIsUnknown) {
  const EvidenceSet set = read(line_of("a1", "pass", ""));  // whatever the line claims
  ASSERT_THAT(set.attempts, SizeIs(1));
  EXPECT_FALSE(set.attempts[0].ended);
  EXPECT_EQ(set.attempts[0].verdict, RungVerdict::unknown);
}

TEST(Evidence, DamagedLinesAreListedAndTakeNothingWithThem) {
  const std::string good = line_of("a1", "pass", "2026-01-02T03:04:09Z");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {good.substr(0, good.size() / 2), "cut off"},
      {"[1]", "not a JSON object"},
      {std::string("\xff\0\x01", 3), "not a JSON object"},
      {std::string(200'000, '['), "not a JSON object"},
      {std::string(2'000'000, 'x'), "too long"},
      {R"({"schema":"accelport.evidence/2","id":"x","verdict":"pass","simulated":false})", "schema"},
      {R"({"schema":"accelport.evidence/1","verdict":"pass","simulated":false})", "no id"},
      {R"({"schema":"accelport.evidence/1","id":"x","verdict":"fine","simulated":false})", "verdict"},
      {R"({"schema":"accelport.evidence/1","id":"x","verdict":"pass"})", "simulated"},
      {R"({"schema":"accelport.evidence/1","id":"x","verdict":"pass","simulated":"no"})", "simulated"},
  };
  for (const auto& [line, reason] : cases) {
    const EvidenceSet set = read(line_of("a0", "pass", "2026-01-02T03:04:09Z") + "\n" + line + "\n" + good);
    EXPECT_THAT(set.attempts, SizeIs(2)) << reason;
    ASSERT_THAT(set.damaged, SizeIs(1)) << reason;
    EXPECT_EQ(set.damaged[0].place, "e.jsonl:3");
    EXPECT_THAT(set.damaged[0].reason, HasSubstr(reason));
  }
}

TEST(Evidence, CountsOnlyIfNothingDiffers) {
  EXPECT_TRUE(standing_of(whole(), kNow).counts_for_card());
  EXPECT_EQ(to_string(standing_of(whole(), kNow)), "");
  for (const auto& [name, value] : kNow) {
    EvidenceState changed = kNow, unknown = kNow;
    changed[name] = value + "x";
    unknown.erase(name);
    for (const EvidenceState& now : {changed, unknown}) {
      const Standing standing = standing_of(whole(), now);
      EXPECT_FALSE(standing.counts_for_card()) << name;
      EXPECT_EQ(to_string(standing), name == "machine" ? "imported" : "stale (" + name + ")");
    }
  }
}

TEST(Evidence, WhatARecordLeavesOutDoesNotCount) {
  for (const auto& [name, value] : kNow) {
    Evidence evidence = whole();
    evidence.state.erase(name);
    EXPECT_FALSE(standing_of(evidence, kNow).counts_for_card()) << name;
  }
  Evidence simulated = whole();
  simulated.simulated = true;
  EXPECT_FALSE(standing_of(simulated, kNow).counts_for_card());
  EXPECT_EQ(to_string(standing_of(simulated, kNow)), "simulated");
}

TEST(Evidence, ReadsTheFolderInOrder) {
  MemoryFiles files;
  EXPECT_THAT(read_evidence("repo", files)->attempts, IsEmpty());
  const std::string folder = "repo/.accelport/evidence/";
  std::string early = line_of("b", "fail", "2026-01-02T03:04:09Z");
  early.replace(early.find("03:04:05"), 8, "01:00:00");
  files.put(folder + ".gitignore", "*\n");
  files.put(folder + "1.jsonl", line_of("a", "pass", "2026-01-02T03:04:09Z") + "{");
  files.put(folder + "2.jsonl", early);
  const EvidenceSet set = read_evidence("repo", files).value();
  ASSERT_THAT(set.attempts, SizeIs(2));
  EXPECT_EQ(set.attempts[0].verdict, RungVerdict::fail);
  EXPECT_EQ(set.attempts[1].verdict, RungVerdict::pass);
  ASSERT_THAT(set.damaged, SizeIs(1));
  EXPECT_EQ(set.damaged[0].place, folder + "1.jsonl:2");
}

}  // namespace
}  // namespace accelport
