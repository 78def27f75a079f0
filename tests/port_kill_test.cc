// A port that is killed, as by kill -9, in front of any of its operations on a real file system.

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit/edit_testing.h"
#include "edit/journal.h"
#include "support.h"

namespace accelport::test {
namespace {

namespace fs = std::filesystem;
using Tree = std::map<std::string, std::string>;

constexpr int kFiles = 28;

Tree tree_on(const std::string& root) {
  Tree tree;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string name = fs::relative(entry.path(), root).string();
    if (name.compare(0, 10, ".accelport") == 0) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    tree[name] = entry.is_directory() ? "" : std::string(std::istreambuf_iterator<char>(file), {});
  }
  return tree;
}

struct Port {
  std::vector<std::string> names, before, after;
  std::vector<JournalStep> steps;

  Port() {
    for (int i = 0; i < kFiles; ++i) {
      names.push_back("d" + std::to_string(i % 3) + "/f" + std::to_string(i) + ".py");
      before.push_back(std::string(100, 'a') + std::to_string(i));
      after.push_back(std::string(120, 'b') + std::to_string(i));
    }
    for (std::size_t i = 0; i < names.size(); ++i) steps.push_back({names[i], before[i], after[i]});
    steps.push_back({"d0/made.py", std::nullopt, "made"});
    steps.push_back({"made/made.py", std::nullopt, "made too"});
  }
};

/// Runs the work in a process of its own that is killed in front of operation `at`; false if it came to its end.
bool killed_at(const std::string& root, int at, bool revert, const Port& port) {
  const pid_t child = fork();
  if (child == 0) {
    FaultyEdits files(real_editable_files());
    files.sync_nothing = true;
    files.before = [&](int number) -> Result<void> {
      if (number == at) kill(getpid(), SIGKILL);
      return {};
    };
    Journal journal(root, files);
    bool done = journal.recover().has_value();
    done = done && (revert ? journal.revert().has_value() : journal.write(port.steps).has_value());
    _exit(done ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << "operation " << at;
  return WIFSIGNALED(status);
}

int kill_everywhere(bool revert) {
  const Port port;
  int at = 0;
  FaultyEdits recovering(real_editable_files());
  recovering.sync_nothing = true;
  for (bool killed = true; killed; ++at) {
    const TempFolder folder;
    for (std::size_t i = 0; i < port.names.size(); ++i) folder.write(port.names[i], port.before[i]);
    const Tree before = tree_on(folder.path());
    EXPECT_TRUE(!revert || !killed_at(folder.path(), -1, false, port)) << at;
    killed = killed_at(folder.path(), at, revert, port);
    Journal journal(folder.path(), recovering);
    EXPECT_TRUE(journal.recover()) << at;
    const Tree now = tree_on(folder.path());
    EXPECT_TRUE(now == before || now.count("made/made.py") == 1) << at;
    if (now != before) {
      for (std::size_t i = 0; i < port.names.size(); ++i) EXPECT_EQ(now.at(port.names[i]), port.after[i]) << at;
      EXPECT_EQ(now.size(), before.size() + 3) << at;
    }
    EXPECT_EQ(fs::exists(folder.path() + "/.accelport"), now != before) << at;
    if (testing::Test::HasFailure()) break;
  }
  return at;
}

TEST(PortKilled, WriteLeavesNoHalfPort) { EXPECT_GE(kill_everywhere(false), 100); }
TEST(PortKilled, RevertLeavesNoHalfPort) { EXPECT_GE(kill_everywhere(true), 100); }

TEST(PortJournal, OneAtATime) {
  const TempFolder folder;
  folder.write("a", "1");
  Journal first(folder.path(), real_editable_files());
  ASSERT_TRUE(first.write({{"a", "1", "2"}}));
  Journal second(folder.path(), real_editable_files());
  const auto refused = second.recover();
  ASSERT_FALSE(refused);
  EXPECT_THAT(to_string(refused.error()), testing::HasSubstr("another program is changing this tree"));
}

TEST(PortJournal, KeepsModesAndNamesOfTheOriginal) {
  const TempFolder folder;
  const std::string path = folder.write("run", "1");
  fs::permissions(path, fs::perms(0751));
  Journal journal(folder.path(), real_editable_files());
  ASSERT_TRUE(journal.write({{"run", "1", "2"}}));
  EXPECT_EQ(real_files().info(path)->mode, 0751u);
  EXPECT_EQ(real_files().info(path)->links, 1u);
  ASSERT_TRUE(journal.revert());
  EXPECT_EQ(real_files().info(path)->mode, 0751u);
  EXPECT_EQ(real_files().info(path)->links, 1u);
}

TEST(PortJournal, AJournalThatIsALinkIsNotUsed) {
  const TempFolder folder, elsewhere;
  elsewhere.write("keep", "x");
  fs::create_directory_symlink(elsewhere.path(), folder.path() + "/.accelport");
  folder.write("a", "1");
  Journal journal(folder.path(), real_editable_files());
  EXPECT_FALSE(journal.write({{"a", "1", "2"}}));
  EXPECT_EQ(tree_on(elsewhere.path()).size(), 1u);
}

}  // namespace
}  // namespace accelport::test
