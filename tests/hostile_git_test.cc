// A repository whose own configuration would start programs: the audit reads it and starts nothing of it.

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/baseline.h"
#include "support.h"

namespace accelport::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class HostileGit : public testing::Test {
 protected:
  HostileGit() : tree_(folder_.path() + "/tree"), marker_(folder_.path() + "/started") {
    program_ = folder_.write("program.sh", "#!/bin/sh\necho \"$0 $*\" >> '" + marker_ + "'\ncat\n");
    fs::permissions(program_, fs::perms(0755));
    no_settings_ = folder_.write("no-settings", "");
    folder_.write("tree/good.py", "import torch\nx = x.cuda()\n");
    folder_.write("tree/ignored.log", "cuda\n");
    folder_.write("tree/.gitignore", "*.log\n");
    git({"init", "-q"});
  }

  void git(std::vector<std::string> arguments) const { git_in(tree_, std::move(arguments)); }

  void git_in(const std::string& folder, std::vector<std::string> arguments) const {
    ProcessRequest request;
    request.command = {
        "git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"};
    request.command.insert(request.command.end(), arguments.begin(), arguments.end());
    request.environment = {{"GIT_CONFIG_GLOBAL", no_settings_}, {"GIT_CONFIG_SYSTEM", no_settings_}};
    const auto result = real_processes().run(request);
    ASSERT_TRUE(result);
    ASSERT_EQ(result->exit_code, 0) << result->error_output;
  }

  void commit() const {
    git({"add", "-A"});
    git({"commit", "-q", "-m", "x"});
  }

  Audit audit() const { return audit_of(tree_, real_files(), real_processes()); }

  void expect_nothing_started() const {
    ByteBuffer bytes;
    EXPECT_FALSE(real_files().read(marker_, 1 << 20, bytes)) << "started: " << bytes.view();
  }

  void expect_good_is_audited(const Audit& audit) const {
    const AuditedFile* const file = find_file(audit, "good.py");
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(file->occurrences.size(), 1u);
    EXPECT_EQ(audit.term_hits, audit.term_covered);
  }

  TempFolder folder_;
  std::string tree_, marker_, program_, no_settings_;
};

TEST_F(HostileGit, IgnoredFilesAreNotAudited) {
  const Audit before = audit();
  expect_good_is_audited(before);
  EXPECT_EQ(find_file(before, "ignored.log"), nullptr);
  ASSERT_NE(find_skipped(before, "ignored.log"), nullptr);
  EXPECT_THAT(find_skipped(before, "ignored.log")->reason, HasSubstr("ignored by git"));
}

TEST_F(HostileGit, NothingOfItsConfigurationIsStarted) {
  commit();
  for (const char* hook : {"post-index-change", "post-checkout", "pre-commit", "fsmonitor-watchman"}) {
    fs::copy_file(program_, tree_ + "/.git/hooks/" + std::string(hook), fs::copy_options::overwrite_existing);
    folder_.write("hooks/" + std::string(hook), "#!/bin/sh\necho hook >> '" + marker_ + "'\n");
    fs::permissions(folder_.path() + "/hooks/" + hook, fs::perms(0755));
  }
  folder_.write("tree/.gitattributes", "* filter=evil diff=evil\n");
  const std::vector<std::pair<std::string, std::string>> settings = {
      {"core.fsmonitor", program_},
      {"core.hooksPath", folder_.path() + "/hooks"},
      {"core.pager", program_},
      {"core.editor", program_},
      {"core.sshCommand", program_},
      {"core.askPass", program_},
      {"core.alternateRefsCommand", program_},
      {"diff.external", program_},
      {"diff.evil.textconv", program_},
      {"filter.evil.clean", program_},
      {"filter.evil.smudge", program_},
      {"filter.evil.process", program_},
      {"filter.evil.required", "true"},
      {"credential.helper", program_},
      {"gpg.program", program_},
      {"alias.ls-files", "!" + program_},
      {"uploadpack.packObjectsHook", program_},
      {"pager.ls-files", program_},
      {"core.untrackedCache", "true"},
      {"trace2.normalTarget", folder_.path() + "/trace"}};
  for (const auto& [key, value] : settings) git({"-c", "core.fsmonitor=false", "config", key, value});
  fs::remove(marker_);
  folder_.write("tree/good.py", "import torch\nx = y.cuda()\n");  // git would have to clean it to tell what changed
  const Audit found = audit();
  expect_good_is_audited(found);
  EXPECT_EQ(find_file(found, "ignored.log"), nullptr);
  AuditOptions options;
  options.roots = {tree_};
  const auto baseline = baseline_of_revision(catalog(), options, "HEAD", found, real_processes());
  ASSERT_TRUE(baseline) << to_string(baseline.error());
  EXPECT_GT(baseline->size(), 0u);
  expect_nothing_started();
}

TEST_F(HostileGit, AWorkTreeElsewhereIsNotBelieved) {
  commit();
  folder_.write("elsewhere/other.py", "cuda = 1\n");
  git({"config", "core.worktree", folder_.path() + "/elsewhere"});
  const Audit found = audit();
  expect_good_is_audited(found);  // without git's word everything below the root is read
  EXPECT_NE(find_file(found, "ignored.log"), nullptr);
  EXPECT_EQ(find_file(found, "other.py"), nullptr);
}

TEST_F(HostileGit, AGitFileThatPointsElsewhere) {
  folder_.write("real/seen.py", "cuda = 1\n");
  git_in(folder_.path() + "/real", {"init", "-q"});
  fs::remove_all(tree_ + "/.git");
  folder_.write("tree/.git", "gitdir: " + folder_.path() + "/real/.git\n");
  expect_good_is_audited(audit());
}

TEST_F(HostileGit, MissingObjectsAreNotFetched) {
  commit();
  git({"config", "remote.origin.url", "ext::" + program_ + " %S"});
  git({"config", "remote.origin.promisor", "true"});
  git({"config", "remote.origin.partialclonefilter", "blob:none"});
  git({"config", "extensions.partialClone", "origin"});
  git({"config", "protocol.ext.allow", "always"});
  const Audit found = audit();
  fs::remove_all(tree_ + "/.git/objects");
  fs::create_directories(tree_ + "/.git/objects/info");
  fs::create_directories(tree_ + "/.git/objects/pack");
  expect_good_is_audited(audit());
  AuditOptions options;
  options.roots = {tree_};
  EXPECT_FALSE(baseline_of_revision(catalog(), options, "HEAD", found, real_processes()));
  expect_nothing_started();
}

TEST_F(HostileGit, SubmodulesAndOtherRepositoriesInside) {
  folder_.write("library/lib.py", "import torch\nx = x.cuda()\n");
  git_in(folder_.path() + "/library", {"init", "-q"});
  git_in(folder_.path() + "/library", {"add", "-A"});
  git_in(folder_.path() + "/library", {"commit", "-q", "-m", "x"});
  git({"submodule", "--quiet", "add", folder_.path() + "/library", "sub"});
  commit();
  folder_.write("tree/nested/own.py", "x = x.cuda()\n");
  git_in(tree_ + "/nested", {"init", "-q"});
  git_in(tree_ + "/sub", {"config", "core.fsmonitor", program_});
  const Audit found = audit();
  expect_good_is_audited(found);
  const AuditedFile* const submodule = find_file(found, "sub/lib.py");
  ASSERT_NE(submodule, nullptr);
  EXPECT_TRUE(has(submodule->kind.roles, FileRole::vendored));
  for (const Occurrence& occurrence : submodule->occurrences) EXPECT_EQ(occurrence.action, PortAction::none);
  EXPECT_NE(find_file(found, "nested/own.py"), nullptr);
  expect_nothing_started();
}

TEST_F(HostileGit, APartOfTheTree) {
  folder_.write("tree/part/a.py", "x = x.cuda()\n");
  folder_.write("tree/part/b.log", "cuda\n");
  commit();
  const Audit found = audit_of(tree_ + "/part", real_files(), real_processes());
  EXPECT_NE(find_file(found, "a.py"), nullptr);
  EXPECT_EQ(find_file(found, "b.log"), nullptr);
}

TEST_F(HostileGit, UnknownRevisionIsAUsageError) {
  commit();
  AuditOptions options;
  options.roots = {tree_};
  for (const char* revision : {"nowhere", "--output=/tmp/x", "HEAD:good.py"}) {
    const auto baseline = baseline_of_revision(catalog(), options, revision, audit(), real_processes());
    ASSERT_FALSE(baseline) << revision;
    EXPECT_EQ(baseline.error().kind, Error::Kind::usage);
  }
}

TEST_F(HostileGit, OldLinesAreNotNew) {
  commit();
  folder_.write("tree/moved.py", "import torch\nx = x.cuda()\n");
  fs::remove(tree_ + "/good.py");
  folder_.write("tree/good.py", "import torch\n\n\nx = x.cuda()\ny = y.cuda()\n");
  Audit found = audit();
  AuditOptions options;
  options.roots = {tree_};
  const auto baseline = baseline_of_revision(catalog(), options, "HEAD", found, real_processes());
  ASSERT_TRUE(baseline) << to_string(baseline.error());
  baseline->mark(found);
  EXPECT_EQ(found.baseline_matched, 1u);
}

}  // namespace
}  // namespace accelport::test
