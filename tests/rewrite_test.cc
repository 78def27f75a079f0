// What a port makes of small sources: tests/port/rewrite/NAME/{in.py,out.py}, and the rows of tests/rewriter.

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "edit/plan.h"
#include "prove/prove.h"
#include "support.h"
#include "syntax/scan.h"
#include "syntax/tree.h"

namespace accelport::test {
namespace {

std::string read_file(const std::string& path) {
  ByteBuffer bytes;
  const auto read = real_files().read(path, 1 << 20, bytes);
  EXPECT_TRUE(read) << path;
  return std::string(bytes.view());
}

Plan plan_of(const MemoryFiles& files) {
  const Audit audit = audit_of(".", files);
  PlanOptions options;
  options.root = ".";
  options.platforms = audit.platforms;
  options.jobs = 2;
  auto plan = plan_port(audit, catalog(), options, files);
  EXPECT_TRUE(plan) << to_string(plan.error());
  return plan ? std::move(*plan) : Plan{};
}

MemoryFiles applied(MemoryFiles files, const Plan& plan) {
  for (const FileChange& change : plan.changes) files.put(change.path, change.after);
  return files;
}

const FileChange* change_of(const Plan& plan, const std::string& path) {
  for (const FileChange& change : plan.changes)
    if (change.path == path) return &change;
  return nullptr;
}

std::string reasons(const Plan& plan) {
  std::string text;
  for (const Unchanged& u : plan.unchanged) text += "\n    left " + u.text + ": " + u.reason;
  return text;
}

bool parses(const std::string& text) {
  const std::string padded = text + std::string(kTextPadding, '\0');
  return !PythonTree(std::string_view(padded).substr(0, text.size())).damaged();
}

const HelperTable& helper_table() {
  static const HelperTable table = embedded_helper_table().value();
  return table;
}

void expect_identical(const std::string& before, const std::string& after) {
  const std::string a = before + std::string(kTextPadding, '\0'), b = after + std::string(kTextPadding, '\0');
  const Proof proof = prove_file(std::string_view(a).substr(0, before.size()),
                                 std::string_view(b).substr(0, after.size()), helper_table());
  EXPECT_EQ(proof.verdict, Proof::Verdict::identical);
  for (const Difference& difference : proof.differences) ADD_FAILURE() << difference.line << ": " << difference.what;
}

/// Edits in order, making `after` of `before`; a second run has nothing left to do.
void expect_sound(const MemoryFiles& files, const Plan& plan) {
  for (const FileChange& change : plan.changes) {
    EXPECT_EQ(apply_edits(change.before, change.edits), change.after) << change.path;
    EXPECT_NE(change.before, change.after) << change.path;
  }
  const Plan again = plan_of(applied(files, plan));
  for (const FileChange& change : again.changes)
    ADD_FAILURE() << "a second run changes " << change.path << ":\n" << change.after;
}

struct Golden {
  std::string name;
  std::string folder;
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

std::vector<Golden> goldens() {
  std::vector<Golden> all;
  const std::string root = std::string(ACCELPORT_SOURCE_DIR) + "/tests/port/rewrite";
  for (const auto& entry : std::filesystem::directory_iterator(root))
    all.push_back({entry.path().filename().string(), entry.path().string()});
  std::sort(all.begin(), all.end(), [](const Golden& a, const Golden& b) { return a.name < b.name; });
  return all;
}

class Rewrite : public testing::TestWithParam<Golden> {};

TEST_P(Rewrite, GivesTheTextWrittenByHand) {
  const Golden& golden = GetParam();
  const std::string before = read_file(golden.folder + "/in.py");
  const std::string after = read_file(golden.folder + "/out.py");
  MemoryFiles files;
  files.put("example.py", before);
  const Plan plan = plan_of(files);
  const FileChange* change = change_of(plan, "example.py");
  EXPECT_EQ(change == nullptr ? before : change->after, after) << reasons(plan);
  if (before == after) return;
  EXPECT_TRUE(change_of(plan, "accelerator.py") != nullptr || change_of(plan, "accelport_device.py") != nullptr);
  expect_identical(before, after);
  expect_sound(files, plan);
}

std::string golden_name(const testing::TestParamInfo<Golden>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Folders, Rewrite, testing::ValuesIn(goldens()), golden_name);

struct Row {
  int number = 0;
  std::string file, source;
  std::vector<std::string> change, stay;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.source; }

std::vector<Row> rows() {
  std::vector<Row> all;
  const std::string text = read_file(std::string(ACCELPORT_SOURCE_DIR) + "/tests/rewriter/rows.jsonl");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const auto json = nlohmann::json::parse(text.substr(at, end - at));
    all.push_back({json["case"], json["file"], json["src"], json["change"], json["stay"]});
    at = end + 1;
  }
  return all;
}

class RewriteRow : public testing::TestWithParam<Row> {};

TEST_P(RewriteRow, ChangesWhatMustChangeAndNothingElse) {
  const Row& row = GetParam();
  MemoryFiles files;
  files.put(row.file, row.source);
  const Plan plan = plan_of(files);
  const FileChange* change = change_of(plan, row.file);
  const std::string after = change == nullptr ? row.source : change->after;
  if (row.file.ends_with(".py")) {
    for (const std::string& fragment : row.change)
      EXPECT_EQ(after.find(fragment), std::string::npos) << fragment << " is left in\n" << after << reasons(plan);
    EXPECT_TRUE(parses(after)) << after;
    expect_identical(row.source, after);
  }
  for (const std::string& fragment : row.stay)
    EXPECT_NE(after.find(fragment), std::string::npos) << fragment << " is lost in\n" << after;
  expect_sound(files, plan);
}

std::string row_name(const testing::TestParamInfo<Row>& info) { return "case" + std::to_string(info.param.number); }

INSTANTIATE_TEST_SUITE_P(Rows, RewriteRow, testing::ValuesIn(rows()), row_name);

}  // namespace
}  // namespace accelport::test
