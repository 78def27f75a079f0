#include "edit/journal.h"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit/edit_testing.h"

namespace accelport {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using Tree = std::map<std::string, std::string>;

const Tree kBefore = {{"a.py", "one"}, {"pkg/b.py", "two"}, {"pkg/c.py", ""}, {"other.txt", "stays"}};
const Tree kAfter = {{"a.py", "ONE!"},       {"pkg/b.py", "TWO"},     {"pkg/c.py", "x"},
                     {"other.txt", "stays"}, {"pkg/new.py", "fresh"}, {"deep/er/n.py", "deep"}};

MemoryFiles tree_before() {
  MemoryFiles files;
  for (const auto& [path, bytes] : kBefore) files.put(path, bytes);
  return files;
}

std::vector<JournalStep> steps() {
  return {{"a.py", "one", "ONE!"},
          {"pkg/b.py", "two", "TWO"},
          {"pkg/c.py", "", "x"},
          {"pkg/new.py", std::nullopt, "fresh", 0755},
          {"deep/er/n.py", std::nullopt, "deep"}};
}

/// The files that are nobody's records, and whether anything else is left over.
Tree user_files(const MemoryFiles& files) {
  Tree out;
  for (const auto& [path, bytes] : files.contents())
    if (path.compare(0, 11, ".accelport/") != 0 && path.back() != '/') out[path] = bytes;
  return out;
}

bool has_journal(const MemoryFiles& files) { return files.info(".accelport").has_value(); }

std::string error_of(const Result<void>& result) { return result ? std::string() : to_string(result.error()); }

void write_all(const EditableFiles& files) {
  Journal journal("", files);
  ASSERT_TRUE(journal.recover());
  const auto written = journal.write(steps());
  ASSERT_TRUE(written) << to_string(written.error());
}

TEST(Journal, WritesAllAndRevertsAll) {
  const MemoryFiles files = tree_before();
  write_all(files);
  EXPECT_EQ(user_files(files), kAfter);
  EXPECT_EQ(files.info("pkg/new.py")->mode, 0755u);
  EXPECT_EQ(Journal::interrupted("", files), std::nullopt);
  Journal journal("", files);
  ASSERT_TRUE(journal.recover());
  EXPECT_TRUE(journal.is_ours("a.py", "ONE!"));
  EXPECT_FALSE(journal.is_ours("a.py", "one"));
  const auto reverted = journal.revert();
  ASSERT_TRUE(reverted) << to_string(reverted.error());
  EXPECT_EQ(reverted->size(), 5u);
  EXPECT_EQ(user_files(files), kBefore);
  EXPECT_FALSE(has_journal(files));
  EXPECT_FALSE(files.info("deep"));
  EXPECT_FALSE(journal.revert());
}

TEST(Journal, HidesItselfFromGit) {
  const MemoryFiles files = tree_before();
  write_all(files);
  EXPECT_EQ(files.contents().at(".accelport/journal/.gitignore"), "*\n");
}

TEST(Journal, RevertsPortsOneByOne) {
  const MemoryFiles files = tree_before();
  write_all(files);
  Journal journal("", files);
  ASSERT_TRUE(journal.recover());
  ASSERT_TRUE(journal.write({{"a.py", "ONE!", "third"}}));
  EXPECT_THAT(*journal.revert(), ElementsAre("a.py"));
  EXPECT_EQ(user_files(files), kAfter);
  ASSERT_TRUE(journal.revert());
  EXPECT_EQ(user_files(files), kBefore);
}

TEST(Journal, RevertRefusesChangedFilesByName) {
  const MemoryFiles files = tree_before();
  write_all(files);
  ASSERT_TRUE(files.write("pkg/b.py", "mine"));
  ASSERT_TRUE(files.remove("pkg/new.py"));
  Journal journal("", files);
  ASSERT_TRUE(journal.recover());
  const auto reverted = journal.revert();
  ASSERT_FALSE(reverted);
  EXPECT_THAT(to_string(reverted.error()), HasSubstr("changed since the port: pkg/b.py, pkg/new.py"));
  EXPECT_EQ(files.contents().at("a.py"), "ONE!");
}

TEST(Journal, AFileThatChangedMeanwhileStopsTheWholeWrite) {
  const MemoryFiles files = tree_before();
  ASSERT_TRUE(files.write("pkg/c.py", "mine"));
  Journal journal("", files);
  const auto written = journal.write(steps());
  EXPECT_THAT(error_of(written), HasSubstr("pkg/c.py: was changed while it was ported"));
  Tree expected = kBefore;
  expected["pkg/c.py"] = "mine";
  EXPECT_EQ(user_files(files), expected);
  EXPECT_FALSE(has_journal(files));
}

TEST(Journal, OfARecordOnlyItsOwnLinesAreTakenOut) {
  const MemoryFiles files = tree_before();
  ASSERT_TRUE(files.write("log", "old\n"));
  Journal journal("", files);
  ASSERT_TRUE(journal.write({{"a.py", "one", "ONE!"}, {"log", "old\n", "old\nours\n"}}, "ours\n"));
  ASSERT_TRUE(files.write("log", "old\nours\ntheirs\n"));
  const auto reverted = journal.revert("log");
  ASSERT_TRUE(reverted) << to_string(reverted.error());
  Tree expected = kBefore;
  expected["log"] = "old\ntheirs\n";
  EXPECT_EQ(user_files(files), expected);
}

/// Whatever happens at whichever operation: the tree is as before or as after once the journal has recovered.
void expect_whole(const MemoryFiles& files, const std::string& when) {
  Journal journal("", files);
  const auto recovered = journal.recover();
  ASSERT_TRUE(recovered) << when << ": " << to_string(recovered.error());
  EXPECT_THAT(user_files(files), AnyOf(kBefore, kAfter)) << when;
  EXPECT_EQ(has_journal(files), user_files(files) == kAfter) << when;
  EXPECT_EQ(Journal::interrupted("", files), std::nullopt) << when;
}

struct Fault {
  bool forever;  // the program dies there
  bool half;
};

Result<void> run_with_fault(const MemoryFiles& files, int at, Fault fault, bool revert, int& operations) {
  test::FaultyEdits faulty(files);
  faulty.half = fault.half;
  faulty.before = [&](int number) -> Result<void> {
    if (number == at || (fault.forever && number > at)) return fail(Error::Kind::system, "no space left");
    return {};
  };
  Journal journal("", faulty);
  Result<void> done;
  const auto recovered = journal.recover();
  if (!recovered) {
    done = tl::unexpected(recovered.error());
  } else if (revert) {
    const auto reverted = journal.revert();
    if (!reverted) done = tl::unexpected(reverted.error());
  } else {
    done = journal.write(steps());
  }
  operations = faulty.operations();
  return done;
}

class JournalFaults : public testing::TestWithParam<std::tuple<bool, bool, bool>> {};

TEST_P(JournalFaults, NeverLeaveAHalfPort) {
  const auto [forever, half, revert] = GetParam();
  int all = 0, ignored = 0;
  {
    const MemoryFiles files = tree_before();
    if (revert) write_all(files);
    ASSERT_TRUE(run_with_fault(files, 1'000'000, {forever, half}, revert, all));
  }
  EXPECT_GE(all, revert ? 25 : 35);
  for (int at = 0; at < all; ++at) {
    const MemoryFiles files = tree_before();
    if (revert) write_all(files);
    static_cast<void>(run_with_fault(files, at, {forever, half}, revert, ignored));
    expect_whole(files, "operation " + std::to_string(at));
  }
}

/// Disk full and the like: the error is told, and nothing is left to be done by the next run.
TEST(Journal, AnErrorInTheMiddleIsUndoneAtOnce) {
  int all = 1, told = 0;
  for (int at = 0; at < all; ++at) {
    const MemoryFiles files = tree_before();
    int operations = 0;
    const auto done = run_with_fault(files, at, {false, false}, false, operations);
    if (done) all = operations;
    if (!done) all = std::max(all, at + 2), ++told;
    EXPECT_EQ(user_files(files), done ? kAfter : kBefore) << at;
    EXPECT_THAT(error_of(done), AnyOf("", HasSubstr("no space left"))) << at;
  }
  EXPECT_GT(told, 20);
}

INSTANTIATE_TEST_SUITE_P(All, JournalFaults, testing::Combine(testing::Bool(), testing::Bool(), testing::Bool()));

TEST(Journal, RecoveryThatDiesIsRecoveredToo) {
  for (int first = 0; first < 60; ++first)
    for (int second = 0; second < 30; ++second) {
      const MemoryFiles files = tree_before();
      int operations = 0;
      static_cast<void>(run_with_fault(files, first, {true, false}, false, operations));
      static_cast<void>(run_with_fault(files, second, {true, false}, true, operations));
      expect_whole(files, std::to_string(first) + " then " + std::to_string(second));
    }
}

TEST(Journal, AForeignListCannotLeadOutOfTheTree) {
  for (const char* path : {"../x", "/x", "a/../../x", ".git/hooks/x", "sub/.GIT/config", ".accelport/journal/x", ""}) {
    MemoryFiles files = tree_before();
    Manifest port;
    port.files.push_back({path, std::nullopt, stamp_of("evil"), 0644});
    files.put(".accelport/journal/0001/apply", write_manifest(port));
    files.put(".accelport/journal/0001/0.after", "evil");
    Journal journal("", files);
    EXPECT_FALSE(journal.recover()) << path;
    EXPECT_EQ(user_files(files), kBefore) << path;
  }
}

TEST(Journal, KeptContentThatIsNotWhatTheListSaysIsNotUsed) {
  MemoryFiles files = tree_before();
  Manifest port;
  port.files.push_back({"a.py", stamp_of("one"), stamp_of("ONE!"), 0644});
  files.put(".accelport/journal/0001/apply", write_manifest(port));
  files.put(".accelport/journal/0001/0.after", "evil");
  Journal journal("", files);
  EXPECT_FALSE(journal.recover());
  EXPECT_EQ(user_files(files), kBefore);
}

TEST(Manifest, IsReadAsItWasWritten) {
  Manifest port;
  port.folders = {"a", "a/b c"};
  port.files = {{"a/b c/\n%\xFF.py", std::nullopt, stamp_of("x"), 0755}, {"y", stamp_of(""), std::nullopt, 0644}};
  const auto read = parse_manifest(write_manifest(port), "p");
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->folders, port.folders);
  ASSERT_EQ(read->files.size(), 2u);
  EXPECT_EQ(read->files[0].path, port.files[0].path);
  EXPECT_EQ(read->files[0].mode, 0755u);
  EXPECT_EQ(read->files[1].before, stamp_of(""));
  EXPECT_EQ(read->files[1].after, std::nullopt);
  const std::string text = write_manifest(port);
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(parse_manifest(text.substr(0, size), "p")) << size;
}

}  // namespace
}  // namespace accelport
