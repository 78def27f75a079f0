// What a person decides: in comments, in decisions.jsonl and by a baseline.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/baseline.h"
#include "audit/decide.h"
#include "support.h"

namespace accelport::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

MemoryFiles one_file(std::string text) {
  MemoryFiles files;
  files.put("a.py", std::move(text));
  return files;
}

const Occurrence& only(const Audit& audit) {
  static const Occurrence none;
  EXPECT_EQ(audit.files.size(), 1u);
  if (audit.files.size() != 1) return none;
  EXPECT_EQ(audit.files[0].occurrences.size(), 1u);
  return audit.files[0].occurrences.empty() ? none : audit.files[0].occurrences[0];
}

TEST(PersonComment, DecidesItsLine) {
  const Audit audit = audit_of(".", one_file("x = x.cuda()  # accelport: retain -- measured on one card only\n"));
  ASSERT_EQ(audit.files.size(), 1u);
  const Occurrence& occurrence = audit.files[0].occurrences[0];
  EXPECT_EQ(occurrence.decision, Decision::retain);
  EXPECT_EQ(occurrence.decided_by, "comment");
  EXPECT_EQ(occurrence.reason, "measured on one card only");
  EXPECT_EQ(occurrence.action, PortAction::none);
  EXPECT_FALSE(is_finding(occurrence));
  EXPECT_TRUE(audit.problems.empty());
}

TEST(PersonComment, AloneDecidesTheLineBelow) {
  const Audit audit =
      audit_of(".", one_file("y = 1\n# accelport: unsupported -- needs a person\nx = x.cuda()\nz = z.cuda()\n"));
  ASSERT_EQ(audit.files[0].occurrences.size(), 2u);
  EXPECT_EQ(audit.files[0].occurrences[0].decision, Decision::unsupported);
  EXPECT_EQ(audit.files[0].occurrences[1].decision, Decision::abstract);
}

TEST(PersonComment, WrongOrWithoutReasonIsReportedAndDecidesNothing) {
  const Audit audit =
      audit_of(".", one_file("x = x.cuda()  # accelport: retain\ny = y.cuda()  # accelport: maybe -- so\n"));
  EXPECT_THAT(audit.problems,
              ElementsAre(HasSubstr("a.py:1: a reason is missing"), HasSubstr("a.py:2: 'maybe' is no decision")));
  for (const Occurrence& occurrence : audit.files[0].occurrences) EXPECT_EQ(occurrence.decided_by, "");
}

TEST(PersonDecision, IsReadFromTheTree) {
  MemoryFiles files = one_file("x = x.cuda()\n");
  const std::string id = only(audit_of(".", files)).id;
  files.put(
      ".accelport/decisions.jsonl",
      R"({"id": ")" + id + R"(", "who": "person", "decision": "retain", "reason": "why", "machine": "m"})" + "\n");
  const Audit audit = audit_of(".", files);
  EXPECT_EQ(only(audit).decision, Decision::retain);
  EXPECT_EQ(only(audit).decided_by, "decisions.jsonl");
  EXPECT_EQ(audit.foreign_decisions, 1u);
}

TEST(PersonDecision, ABrokenFileIsAClearError) {
  MemoryFiles files = one_file("x = x.cuda()\n");
  files.put(".accelport/decisions.jsonl", "{\"id\": \n");
  AuditOptions options;
  options.roots = {"."};
  const auto audit = run_audit(catalog(), options, files, no_processes());
  ASSERT_FALSE(audit);
  EXPECT_THAT(to_string(audit.error()), HasSubstr("decisions.jsonl:1: not a JSON object"));
}

TEST(PersonBaseline, MovedCodeIsKnownAndNewCodeIsNot) {
  const auto baseline = Baseline::parse(write_baseline(audit_of(".", one_file("x = x.cuda()\n"))), "base.json");
  ASSERT_TRUE(baseline);
  MemoryFiles moved;
  moved.put("src/b.py", "import os\n\n\nx = x.cuda()\ny = y.cuda()\n");
  Audit audit = audit_of(".", moved);
  baseline->mark(audit);
  ASSERT_EQ(audit.files[0].occurrences.size(), 2u);
  EXPECT_TRUE(audit.files[0].occurrences[0].baseline);
  EXPECT_FALSE(audit.files[0].occurrences[1].baseline);
}

TEST(PersonBaseline, TheSameTreeHasNothingNew) {
  const MemoryFiles files = one_file("x = x.cuda()\nx = x.cuda()\nif torch.cuda.is_available(): d = 'cuda'\n");
  Audit audit = audit_of(".", files);
  const auto baseline = Baseline::parse(write_baseline(audit), "base.json");
  baseline->mark(audit);
  for (const Occurrence& occurrence : audit.files[0].occurrences)
    EXPECT_TRUE(occurrence.baseline || !needs_work(occurrence)) << describe(audit.files[0], occurrence);
}

}  // namespace
}  // namespace accelport::test
