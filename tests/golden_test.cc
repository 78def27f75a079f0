// Every hard case of tests/hard as a test: a folder with input files and the expectation beside them.

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "base/files.h"
#include "expectation.h"
#include "support.h"

namespace accelport::test {
namespace {

namespace fs = std::filesystem;

const std::string kHard = std::string(ACCELPORT_SOURCE_DIR) + "/tests/hard";

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kHard))
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Cases known to go wrong, with the reason: "NAME: reason" a line, "#" for comments.
std::map<std::string, std::string> known_wrong() {
  std::map<std::string, std::string> known;
  ByteBuffer bytes;
  if (!real_files().read(kHard + "/known_wrong.txt", 1 << 20, bytes)) return known;
  std::string_view rest = bytes.view();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = trim(rest.substr(0, end));
    rest.remove_prefix(std::min(rest.size(), end + 1));
    if (line.empty() || line[0] == '#') continue;
    const std::size_t colon = line.find(':');
    EXPECT_NE(colon, std::string_view::npos) << "a reason is missing: " << line;
    known[std::string(line.substr(0, colon))] = std::string(trim(line.substr(std::min(line.size(), colon + 1))));
  }
  return known;
}

AuditOptions options_for(const std::string& root, int jobs = 1) {
  AuditOptions options;
  options.roots = {root};
  options.exclude = {"expect.toml"};
  options.jobs = jobs;
  return options;
}

class HardCase : public testing::TestWithParam<std::string> {
 protected:
  std::string root() const { return kHard + "/" + GetParam(); }
};

TEST_P(HardCase, IsAsExpected) {
  const auto expectations = read_expectations(root() + "/expect.toml");
  ASSERT_FALSE(expectations.empty());
  const Audit audit = audit_with(options_for(root()));
  const auto wrong = check_expectations(expectations, audit, root());
  const auto known = known_wrong();
  if (known.count(GetParam()) != 0) {
    EXPECT_FALSE(wrong.empty()) << "this case is right now: remove it from tests/hard/known_wrong.txt";
    return;
  }
  for (const std::string& message : wrong) ADD_FAILURE() << message;
}

TEST_P(HardCase, DoesNotDependOnThreadsOrListingOrder) {
  const std::string once = fingerprint(audit_with(options_for(root(), 1)));
  EXPECT_EQ(once, fingerprint(audit_with(options_for(root(), 2))));
  FaultyFiles backwards(real_files());
  backwards.after_list = [](std::vector<DirectoryEntry>& entries) { std::reverse(entries.begin(), entries.end()); };
  EXPECT_EQ(once, fingerprint(audit_with(options_for(root(), 2), backwards)));
  FaultyFiles shuffled(real_files());
  shuffled.after_list = [](std::vector<DirectoryEntry>& entries) {
    std::shuffle(entries.begin(), entries.end(), std::minstd_rand(7));
  };
  EXPECT_EQ(once, fingerprint(audit_with(options_for(root(), 2), shuffled)));
}

TEST_P(HardCase, EveryHitIsCoveredOnceAndIdsAreUnique) {
  const Audit audit = audit_with(options_for(root()));
  EXPECT_EQ(audit.term_hits, audit.term_covered);
  for (const AuditedFile& file : audit.files) {
    std::set<std::string> ids;
    std::uint64_t hits = 0, owned = 0;
    for (const std::uint64_t count : file.term_hits) hits += count;
    for (const Occurrence& occurrence : file.occurrences) {
      EXPECT_TRUE(ids.insert(occurrence.id).second) << describe(file, occurrence);
      EXPECT_LE(occurrence.span.begin, occurrence.span.end);
      EXPECT_NE(occurrence.rule, nullptr) << "no rule explains " << describe(file, occurrence);
      owned += occurrence.hits;
    }
    EXPECT_EQ(hits, owned) << file.path;
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = "c" + info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Hard, HardCase, testing::ValuesIn(case_names()), test_name);

TEST(HardCases, AtMostFivePercentAreKnownWrong) {
  const auto names = case_names();
  const auto known = known_wrong();
  EXPECT_GE(names.size(), 137u);
  EXPECT_LE(known.size() * 20, names.size());
  for (const auto& [name, reason] : known) {
    EXPECT_TRUE(std::find(names.begin(), names.end(), name) != names.end()) << "there is no case " << name;
    EXPECT_FALSE(reason.empty()) << name;
  }
}

}  // namespace
}  // namespace accelport::test
