// What a port writes beside files that it never edits: tests/port/beside/CASE/{in,out}/ and what it says (says.txt).

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "audit/decide.h"
#include "base/files.h"
#include "edit/plan.h"
#include "support.h"
#include "syntax/dockerfile_lines.h"
#include "syntax/language.h"

namespace accelport::test {
namespace {

using Tree = std::map<std::string, std::string>;

std::string read_file(const std::string& path) {
  ByteBuffer bytes;
  EXPECT_TRUE(real_files().read(path, 1 << 20, bytes)) << path;
  return std::string(bytes.view());
}

Tree read_tree(const std::string& folder) {
  Tree tree;
  if (!std::filesystem::exists(folder)) return tree;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      tree[std::filesystem::relative(entry.path(), folder).string()] = read_file(entry.path().string());
  return tree;
}

MemoryFiles files_of(const Tree& tree) {
  MemoryFiles files;
  for (const auto& [path, bytes] : tree) files.put(path, bytes);
  return files;
}

Plan plan_of(const MemoryFiles& files, std::vector<std::string> only = {}, bool untouched = false) {
  const Audit audit = audit_of(".", files);
  PlanOptions options;
  options.root = ".";
  options.platforms = audit.platforms;
  options.only = std::move(only);
  options.jobs = 2;
  if (untouched) options.is_untouched = [](const std::string&, std::string_view) { return true; };
  auto plan = plan_port(audit, catalog(), options, files);
  EXPECT_TRUE(plan) << to_string(plan.error());
  return plan ? std::move(*plan) : Plan{};
}

Tree created(const Plan& plan) {
  Tree tree;
  for (const FileChange& change : plan.changes)
    if (change.created) tree[change.path] = change.after;
  return tree;
}

std::string said(const Plan& plan) {
  std::string text;
  for (const Unchanged& u : plan.unchanged)
    text += fmt::format("left {}:{} {}: {}\n", u.path, u.line, u.text, u.reason);
  for (const Advice& advice : plan.advice) text += fmt::format("advice {}\n{}", advice.text, advice.snippet);
  return text;
}

struct Case {
  std::string name;
  std::string folder;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

std::vector<Case> cases() {
  std::vector<Case> all;
  const std::string root = std::string(ACCELPORT_SOURCE_DIR) + "/tests/port/beside";
  for (const auto& entry : std::filesystem::directory_iterator(root))
    all.push_back({entry.path().filename().string(), entry.path().string()});
  std::sort(all.begin(), all.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  return all;
}

class Beside : public testing::TestWithParam<Case> {};

TEST_P(Beside, GivesTheFilesWrittenByHand) {
  const Tree in = read_tree(GetParam().folder + "/in");
  const Tree out = read_tree(GetParam().folder + "/out");
  MemoryFiles files = files_of(in);
  const Plan plan = plan_of(files);
  EXPECT_EQ(created(plan), out);
  EXPECT_EQ(said(plan), read_file(GetParam().folder + "/says.txt"));
  for (const FileChange& change : plan.changes) {
    EXPECT_TRUE(change.created) << change.path << " is edited";
    EXPECT_EQ(apply_edits(change.before, change.edits), change.after);
    files.put(change.path, change.after);
  }
  EXPECT_TRUE(plan_of(files).changes.empty()) << "a second run changes something";
  for (const AuditedFile& file : audit_of(".", files).files)
    for (const Occurrence& o : file.occurrences)
      EXPECT_FALSE(out.count(file.path) != 0 && is_finding(o)) << describe(file, o);
}

TEST_P(Beside, WritesOverNothingThatSomebodyChanged) {
  const Tree in = read_tree(GetParam().folder + "/in");
  const Plan plan = plan_of(files_of(in));
  MemoryFiles files = files_of(in);
  for (const FileChange& change : plan.changes) files.put(change.path, change.after + "# by hand\n");
  const Plan again = plan_of(files);
  EXPECT_TRUE(again.changes.empty());
  EXPECT_EQ(again.advice.size() >= plan.changes.size(), true) << said(again);
  const Plan renewed = plan_of(files, {}, true);
  EXPECT_EQ(renewed.changes.size(), plan.changes.size());
  for (const FileChange& change : renewed.changes) EXPECT_EQ(change.after, created(plan)[change.path]);
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Folders, Beside, testing::ValuesIn(cases()), case_name);

constexpr const char* kList = "numpy\nflash-attn==2.5\n";

TEST(BesideSelection, ChoosesByPathCategoryAndId) {
  MemoryFiles files = files_of({{"requirements.txt", kList}, {"other/requirements.txt", kList}});
  EXPECT_EQ(created(plan_of(files)).size(), 2u);
  EXPECT_EQ(created(plan_of(files, {"other"})).count("other/requirements-musa.txt"), 1u);
  EXPECT_EQ(created(plan_of(files, {"other"})).size(), 1u);
  EXPECT_EQ(created(plan_of(files, {"package-extension"})).size(), 2u);
  EXPECT_EQ(created(plan_of(files, {"distributed"})).size(), 0u);
  const Audit audit = audit_of(".", files);
  const AuditedFile* file = find_file(audit, "requirements.txt");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(created(plan_of(files, {file->occurrences.at(0).id})).size(), 1u);
}

TEST(BesideSelection, SettlesWhatItLeavesOut) {
  const Plan plan = plan_of(files_of({{"requirements.txt", kList}}));
  ASSERT_EQ(plan.changes.size(), 1u);
  EXPECT_EQ(plan.changes[0].edits.at(0).ids.size(), 1u);
  EXPECT_TRUE(plan.unchanged.empty());
}

TEST(BesideSelection, LeavesAFileOfTheSameNameAlone) {
  const Plan plan = plan_of(files_of({{"requirements.txt", kList}, {"requirements-musa.txt", "numpy\n"}}));
  EXPECT_TRUE(plan.changes.empty());
  ASSERT_EQ(plan.unchanged.size(), 1u);
  EXPECT_NE(plan.unchanged[0].reason.find("is there already"), std::string::npos);
}

TEST(DockerParts, JoinToTheWhole) {
  const std::string text = "# syntax=x\nFROM a\\\n  # in between\n  AS b\nRUN <<EOF\nFROM no\nEOF\n\nCMD x";
  std::string joined, names;
  for (const DockerPart& part : docker_parts(text)) {
    joined += slice(text, part.span);
    names += part.name + ",";
  }
  EXPECT_EQ(joined, text);
  EXPECT_EQ(names, ",from,run,,cmd,");
}

}  // namespace
}  // namespace accelport::test
