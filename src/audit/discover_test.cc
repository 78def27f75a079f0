#include "audit/discover.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace accelport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Found {
  std::vector<std::string> files;
  std::vector<std::string> skipped;  // "path: reason"
};

Found found_in(const MemoryFiles& files, AuditOptions options, const Processes& processes = ScriptedProcesses()) {
  if (options.roots.empty()) options.roots = {"."};
  const auto discovery = discover(options, files, processes);
  Found found;
  EXPECT_TRUE(discovery) << (discovery ? "" : to_string(discovery.error()));
  if (!discovery) return found;
  for (const Candidate& candidate : discovery->candidates)
    found.files.push_back(candidate.path + (candidate.vendored ? " (vendored)" : ""));
  for (const SkippedFile& skipped : discovery->skipped) found.skipped.push_back(skipped.path + ": " + skipped.reason);
  return found;
}

MemoryFiles files_with(const std::vector<std::string>& paths) {
  MemoryFiles files;
  for (const std::string& path : paths) files.put(path, "x");
  return files;
}

TEST(Discover, EveryFileIsACandidateOrSkipped) {
  MemoryFiles files =
      files_with({"b.py", "a/c.py", ".git/config", "a/__pycache__/c.pyc", "env/pyvenv.cfg", "env/lib/x.py"});
  files.put_special("pipe", FileType::fifo);
  files.put_special("link", FileType::link);
  const Found found = found_in(files, {});
  EXPECT_THAT(found.files, ElementsAre("a/c.py", "b.py"));
  EXPECT_THAT(found.skipped,
              ElementsAre(".git/: version control", "a/__pycache__/: compiled files", "env/: a virtual environment",
                          "link: a link; its target is audited where it lies", "pipe: not a regular file"));
}

TEST(Discover, ASingleFileKeepsItsName) {
  AuditOptions options;
  options.roots = {"a/c.py"};
  EXPECT_THAT(found_in(files_with({"b.py", "a/c.py"}), options).files, ElementsAre("a/c.py"));
}

TEST(Discover, SeveralRootsKeepTheirNamesAndNothingTwice) {
  AuditOptions options;
  options.roots = {"a/", "./b", "a"};
  EXPECT_THAT(found_in(files_with({"a/x.py", "b/x.py", "c/x.py"}), options).files, ElementsAre("a/x.py", "b/x.py"));
}

TEST(Discover, ExcludesFilesAndWholeFolders) {
  AuditOptions options;
  options.exclude = {"third_party/", "*.log", "x", "docs/?"};
  const Found found = found_in(
      files_with({"a.py", "a.log", "third_party/b.py", "src/x/c.py", "src/y.py", "docs/d.md", "docs/e"}), options);
  EXPECT_THAT(found.files, ElementsAre("a.py", "docs/d.md", "src/y.py"));
  EXPECT_THAT(found.skipped,
              ElementsAre("a.log: excluded", "docs/e: excluded", "src/x/: excluded", "third_party/: excluded"));
}

TEST(Discover, IncludesOnlyWhatIsAsked) {
  AuditOptions options;
  options.include = {"src/"};
  EXPECT_THAT(found_in(files_with({"a.py", "src/b.py", "src/c/d.py"}), options).files,
              ElementsAre("src/b.py", "src/c/d.py"));
}

TEST(Discover, LargeFilesAreSkipped) {
  MemoryFiles files;
  files.put("large.json", std::string(kMaxFileBytes + 1, ' '));
  files.put("small.json", "{}");
  const Found found = found_in(files, {});
  EXPECT_THAT(found.files, ElementsAre("small.json"));
  EXPECT_THAT(found.skipped, ElementsAre(testing::HasSubstr("more than the limit")));
}

TEST(Discover, MissingRootIsAnError) {
  AuditOptions options;
  options.roots = {"none"};
  EXPECT_FALSE(discover(options, files_with({"a.py"}), ScriptedProcesses()));
}

/// A git that knows what it is told, whatever its options.
class FakeGit : public Processes {
 public:
  explicit FakeGit(std::string listed) : listed_(std::move(listed)) {}
  Result<ProcessResult> run(const ProcessRequest& request) const override {
    const auto has = [&](const char* word) {
      return std::find(request.command.begin(), request.command.end(), word) != request.command.end();
    };
    EXPECT_TRUE(has("core.fsmonitor=false"));
    EXPECT_TRUE(has("core.hooksPath=/dev/null"));
    EXPECT_TRUE(has("rev-parse") || has("ls-files"));
    return ProcessResult{0, false, has("rev-parse") ? ".\n" : listed_, ""};
  }

 private:
  std::string listed_;
};

TEST(Discover, ObeysGit) {
  using namespace std::string_literals;
  const FakeGit git("a.py\0src/b.py\0sub\0nested/\0"s);
  const Found found = found_in(
      files_with({"a.py", "ignored.py", "src/b.py", "src/ignored.py", "out/x.py", "sub/s.py", "nested/n.py"}), {}, git);
  EXPECT_THAT(found.files, ElementsAre("a.py", "nested/n.py", "src/b.py", "sub/s.py (vendored)"));
  EXPECT_THAT(found.skipped, ElementsAre("ignored.py: ignored by git", "out/: ignored by git, or empty",
                                         "src/ignored.py: ignored by git"));
}

}  // namespace
}  // namespace accelport
