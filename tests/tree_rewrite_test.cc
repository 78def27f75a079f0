// What a port makes of small trees with files of several kinds: tests/port/trees/NAME/{in,out}; see the README there.

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>

#include <gtest/gtest.h>

#include "base/files.h"
#include "edit/plan.h"
#include "prove/prove.h"
#include "prove/shell_proof.h"
#include "support.h"

namespace accelport::test {
namespace {

using Tree = std::map<std::string, std::string>;

std::string read_whole(const std::string& path) {
  ByteBuffer bytes;
  EXPECT_TRUE(real_files().read(path, 1 << 20, bytes)) << path;
  return std::string(bytes.view());
}

Tree read_tree(const std::string& root) {
  Tree tree;
  if (!std::filesystem::exists(root)) return tree;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.is_regular_file())
      tree[entry.path().string().substr(root.size() + 1)] = read_whole(entry.path().string());
  return tree;
}

MemoryFiles memory_of(const Tree& tree) {
  MemoryFiles files;
  for (const auto& [path, text] : tree) files.put(path, text);
  return files;
}

Plan plan_of(const Tree& tree, const std::string& style) {
  const MemoryFiles files = memory_of(tree);
  AuditOptions auditing;
  auditing.roots = {"."};
  auditing.keep_paths = true;
  const Audit audit = audit_with(auditing, files);
  PlanOptions options;
  options.root = ".";
  options.platforms = audit.platforms;
  options.jobs = 2;
  options.style = style;
  auto plan = plan_port(audit, catalog(), options, files);
  EXPECT_TRUE(plan) << to_string(plan.error());
  return plan ? std::move(*plan) : Plan{};
}

std::vector<const Platform*> platforms() {
  std::vector<const Platform*> all;
  for (const Platform& platform : catalog().platforms) all.push_back(&platform);
  return all;
}

/// "path:line: reason" of what stays.
std::string reasons(const Plan& plan) {
  std::string text;
  for (const Unchanged& u : plan.unchanged) text += u.path + ":" + std::to_string(u.line) + ": " + u.reason + "\n";
  return text;
}

bool is_helper(const std::string& path) { return path.ends_with("accelerator.py"); }

void expect_proven(const FileChange& change) {
  static const HelperTable table = embedded_helper_table().value();
  const bool settings = change.path.ends_with(".env");
  FileSurroundings around;
  around.is_adapter = [](std::string_view plug_in, std::string_view adapter) {
    const auto all = platforms();
    return std::any_of(all.begin(), all.end(),
                       [&](const Platform* platform) { return platform->has_adapter(plug_in, adapter); });
  };
  const Proof proof = change.path.ends_with(".py") ? prove_file(change.before, change.after, table, around)
                                                   : prove_shell(change.before, change.after, settings, platforms());
  EXPECT_EQ(proof.verdict, Proof::Verdict::identical) << change.path;
  for (const Difference& difference : proof.differences)
    ADD_FAILURE() << change.path << ":" << difference.line << ": " << difference.what;
}

struct Case {
  std::string name;
  std::string folder;

  /// The name of a case begins with its style, if that is another one than usual.
  std::string style() const {
    for (const char* style : {"neutral", "adapter"})
      if (name.starts_with(std::string(style) + "-")) return style;
    return "helper";
  }
};

void PrintTo(const Case& item, std::ostream* out) { *out << item.name; }

std::vector<Case> cases() {
  std::vector<Case> all;
  const std::string root = std::string(ACCELPORT_SOURCE_DIR) + "/tests/port/trees";
  for (const auto& entry : std::filesystem::directory_iterator(root))
    if (entry.is_directory()) all.push_back({entry.path().filename().string(), entry.path().string()});
  std::sort(all.begin(), all.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  return all;
}

class TreeRewrite : public testing::TestWithParam<Case> {};

TEST_P(TreeRewrite, GivesTheTreeWrittenByHand) {
  const Tree before = read_tree(GetParam().folder + "/in");
  const Tree expected = read_tree(GetParam().folder + "/out");
  ASSERT_FALSE(before.empty());
  const Plan plan = plan_of(before, GetParam().style());
  Tree after = before;
  for (const FileChange& change : plan.changes) after[change.path] = change.after;
  for (const auto& [path, text] : after) {
    if (is_helper(path) && before.count(path) == 0) continue;
    const auto wanted = expected.find(path);
    EXPECT_EQ(text, wanted == expected.end() ? before.at(path) : wanted->second) << path << "\n" << reasons(plan);
  }
  for (const auto& [path, text] : expected) EXPECT_EQ(after.count(path), 1u) << path;
  for (const FileChange& change : plan.changes)
    if (!is_helper(change.path)) expect_proven(change);
  for (const FileChange& change : plan_of(after, GetParam().style()).changes)
    ADD_FAILURE() << "a second run changes " << change.path << ":\n" << change.after;
}

/// reasons.txt: one line for each place that stays, "path:line: beginning of the reason".
TEST_P(TreeRewrite, GivesTheReasonsWrittenByHand) {
  const std::string path = GetParam().folder + "/reasons.txt";
  const std::string wanted = std::filesystem::exists(path) ? read_whole(path) : "";
  EXPECT_EQ(reasons(plan_of(read_tree(GetParam().folder + "/in"), GetParam().style())), wanted);
}

/// advice.txt: what a person is told to do, "path:line: text".
TEST_P(TreeRewrite, GivesTheAdviceWrittenByHand) {
  const std::string path = GetParam().folder + "/advice.txt";
  if (!std::filesystem::exists(path)) return;
  std::string given;
  for (const Advice& advice : plan_of(read_tree(GetParam().folder + "/in"), GetParam().style()).advice)
    given += advice.path + ":" + std::to_string(advice.line) + ": " + advice.text + "\n";
  EXPECT_EQ(given, read_whole(path));
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Folders, TreeRewrite, testing::ValuesIn(cases()), case_name);

}  // namespace
}  // namespace accelport::test
