#include "edit/diff.h"

#include <gtest/gtest.h>

namespace accelport {
namespace {

FileChange change_of(std::string before, std::vector<Edit> edits) {
  FileChange change;
  change.path = "a.py";
  change.after = apply_edits(before, edits);
  change.before = std::move(before);
  change.edits = std::move(edits);
  return change;
}

Edit edit(std::uint32_t begin, std::uint32_t end, std::string text) { return {{begin, end}, std::move(text), {}, {}}; }

std::string hunks_of(const FileChange& change) {
  const std::string patch = unified_diff(change);
  const std::size_t at = patch.find("@@");
  return at == std::string::npos ? std::string() : patch.substr(at);
}

TEST(ApplyEdits, PutsTextsInPlace) {
  EXPECT_EQ(apply_edits("abcdef", {edit(0, 0, "<"), edit(1, 3, ""), edit(6, 6, ">")}), "<adef>");
  EXPECT_EQ(apply_edits("", {edit(0, 0, "x")}), "x");
}

TEST(UnifiedDiff, OneLineWithItsContext) {
  EXPECT_EQ(unified_diff(change_of("1\n2\n3\n4\n5\n6\n7\n8\n9\n", {edit(8, 9, "five")})),
            "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n"
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, InsertedLineRemovesNothing) {
  EXPECT_EQ(hunks_of(change_of("1\n2\n", {edit(2, 2, "new\n")})), "@@ -1,2 +1,3 @@\n 1\n+new\n 2\n");
}

TEST(UnifiedDiff, SeveralEditsOnALineAreOneLine) {
  EXPECT_EQ(hunks_of(change_of("abc\nd\n", {edit(0, 1, "A"), edit(2, 3, "C")})), "@@ -1,2 +1,2 @@\n-abc\n+AbC\n d\n");
}

TEST(UnifiedDiff, CloseHunksAreOneAndFarOnesTwo) {
  const std::string text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  EXPECT_EQ(hunks_of(change_of(text, {edit(0, 1, "a"), edit(14, 15, "b")})),
            "@@ -1,9 +1,9 @@\n-1\n+a\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+b\n 9\n");
  EXPECT_EQ(hunks_of(change_of(text, {edit(0, 1, "a"), edit(16, 17, "b")})),
            "@@ -1,4 +1,4 @@\n-1\n+a\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+b\n");
}

TEST(UnifiedDiff, MissingLastLineEnd) {
  EXPECT_EQ(hunks_of(change_of("a\nb", {edit(0, 1, "A")})),
            "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n");
  EXPECT_EQ(hunks_of(change_of("a", {edit(1, 1, "\nb\n")})),
            "@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n");
}

TEST(UnifiedDiff, DeletedLinesAndEmptyFiles) {
  EXPECT_EQ(hunks_of(change_of("a\nb\n", {edit(0, 2, "")})), "@@ -1,2 +1 @@\n-a\n b\n");
  EXPECT_EQ(hunks_of(change_of("a\n", {edit(0, 2, "")})), "@@ -1 +0,0 @@\n-a\n");
  EXPECT_EQ(hunks_of(change_of("", {edit(0, 0, "a\n")})), "@@ -0,0 +1 @@\n+a\n");
}

TEST(UnifiedDiff, CarriageReturnsStay) {
  EXPECT_EQ(hunks_of(change_of("a\r\nb\r\n", {edit(0, 1, "A")})), "@@ -1,2 +1,2 @@\n-a\r\n+A\r\n b\r\n");
}

TEST(UnifiedDiff, NothingChangedGivesNothing) { EXPECT_EQ(unified_diff(change_of("a\n", {edit(0, 1, "a")})), ""); }

TEST(UnifiedDiff, NewFile) {
  FileChange change;
  change.path = "p/n.py";
  change.created = true;
  change.after.assign(1, 'x').push_back('\n');
  EXPECT_EQ(unified_diff(change),
            "diff --git a/p/n.py b/p/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/p/n.py\n@@ -0,0 +1 @@\n+x\n");
}

TEST(QuotedPath, AsGitWritesIt) {
  EXPECT_EQ(quoted_path("a/", "plain name.py"), "a/plain name.py");
  EXPECT_EQ(quoted_path("a/", "t\tb\"\\\n\x01\xC3\xA9"), "\"a/t\\tb\\\"\\\\\\n\\001\\303\\251\"");
}

}  // namespace
}  // namespace accelport
