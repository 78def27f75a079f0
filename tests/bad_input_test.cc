// Whatever a tree holds: it is recorded with a reason or a clear error, the rest is audited, and the time is bounded.

#include <chrono>
#include <filesystem>

#include <fcntl.h>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "report/report.h"
#include "support.h"

namespace accelport::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::string_view kGood = "import torch\nx = x.cuda()\n";

/// Fails if the scope takes longer. Generous: the machine may be busy and the build unoptimised.
class Deadline {
 public:
  explicit Deadline(int seconds) : limit_(seconds) {}
  ~Deadline() { EXPECT_LT(std::chrono::steady_clock::now() - begin_, limit_); }

 private:
  std::chrono::seconds limit_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// The file that every tree has beside its trouble was audited as if it were alone, and the totals balance.
void expect_rest_is_complete(const Audit& audit, std::string_view good = "good.py") {
  const AuditedFile* const file = find_file(audit, good);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->occurrences.size(), 1u);
  EXPECT_EQ(audit.term_hits, audit.term_covered);
}

void expect_skipped(const Audit& audit, std::string_view path, std::string_view reason, bool problem) {
  const SkippedFile* const skipped = find_skipped(audit, path);
  ASSERT_NE(skipped, nullptr) << path;
  EXPECT_THAT(skipped->reason, HasSubstr(std::string(reason)));
  EXPECT_EQ(skipped->problem, problem) << path;
}

MemoryFiles tree_with(const std::string& path, std::string bytes) {
  MemoryFiles files;
  files.put("good.py", std::string(kGood));
  files.put(path, std::move(bytes));
  return files;
}

/// A file system in which `path` cannot be read, opened or looked at for `reason`.
auto failing_at(const std::string& path, const std::string& reason) {
  return [=](const std::string& asked) -> Result<void> {
    if (asked != path && asked != "./" + path) return {};
    return fail(Error::Kind::system, reason, asked);
  };
}

TEST(BadInput, UnreadableFile) {
  const MemoryFiles memory = tree_with("secret.py", std::string(kGood));
  FaultyFiles files(memory);
  files.before_read = failing_at("secret.py", "cannot open it: Permission denied");
  const Audit audit = audit_of(".", files);
  expect_skipped(audit, "secret.py", "Permission denied", true);
  expect_rest_is_complete(audit);
}

TEST(BadInput, UnreadableFileOnDisk) {
  const TempFolder folder;
  folder.write("good.py", kGood);
  ASSERT_EQ(chmod(folder.write("secret.py", kGood).c_str(), 0), 0);
  fs::create_directory(folder.path() + "/closed");
  ASSERT_EQ(chmod((folder.path() + "/closed").c_str(), 0), 0);
  const Audit audit = audit_of(folder.path());
  expect_rest_is_complete(audit);
  if (geteuid() == 0) return;  // root may read everything; the tests above and below do not ask the system
  expect_skipped(audit, "secret.py", "Permission denied", true);
  expect_skipped(audit, "closed/", "Permission denied", true);
}

TEST(BadInput, UnreadableFolder) {
  const MemoryFiles memory = tree_with("closed/a.py", std::string(kGood));
  FaultyFiles files(memory);
  files.before_list = failing_at("closed", "cannot open the folder: Permission denied");
  const Audit audit = audit_of(".", files);
  expect_skipped(audit, "closed/", "Permission denied", true);
  expect_rest_is_complete(audit);
}

TEST(BadInput, FileThatVanishesAfterListing) {
  const MemoryFiles memory = tree_with("gone.py", std::string(kGood));
  FaultyFiles files(memory);
  files.before_read = failing_at("gone.py", "cannot open it: No such file or directory");
  expect_skipped(audit_of(".", files), "gone.py", "No such file", true);
  FaultyFiles earlier(memory);
  earlier.before_info = failing_at("gone.py", "cannot look at it: No such file or directory");
  const Audit audit = audit_of(".", earlier);
  expect_skipped(audit, "gone.py", "No such file", true);
  expect_rest_is_complete(audit);
}

TEST(BadInput, HugeSparseFile) {
  const Deadline deadline(30);
  const TempFolder folder;
  folder.write("good.py", kGood);
  fs::resize_file(folder.write("huge.py", ""), std::uintmax_t{2} << 30);
  const Audit audit = audit_of(folder.path());
  expect_skipped(audit, "huge.py", "more than the limit", false);
  expect_rest_is_complete(audit);
}

TEST(BadInput, BinaryFile) {
  const MemoryFiles files = tree_with("model.bin", std::string("\x7f"
                                                               "ELF\0\0cuda\0\1\2",
                                                               14));
  const Audit audit = audit_of(".", files);
  expect_skipped(audit, "model.bin", "binary", false);
  expect_rest_is_complete(audit);
}

TEST(BadInput, EmptyFiles) {
  MemoryFiles files = tree_with("empty.py", "");
  for (const char* name :
       {"empty.ipynb", "empty.json", "empty.cu", "Dockerfile", "empty.yaml", "requirements.txt", "accelerate.toml"})
    files.put(name, "");
  const Audit audit = audit_of(".", files);
  EXPECT_EQ(audit.scanned, 9u);
  expect_rest_is_complete(audit);
}

TEST(BadInput, ManyNestedBrackets) {
  const std::string open(100'000, '['), round(100'000, '('), curly(100'000, '{');
  for (const char* name : {"a.py", "a.json", "a.yaml", "a.toml", "a.cu", "a.ipynb", "a.sh", "CMakeLists.txt", "a.md",
                           "a.rst", "Makefile"}) {
    SCOPED_TRACE(name);
    const Deadline deadline(30);
    for (const std::string& brackets : {open, round, curly}) {
      const Audit audit = audit_of(".", tree_with(name, brackets + "\"cuda\"\n" + "x.cuda()\n"));
      expect_rest_is_complete(audit);
      EXPECT_NE(find_file(audit, name), nullptr);
    }
  }
}

TEST(BadInput, EndlessLine) {
  std::string line;
  while (line.size() < 20'000'000)
    line +=
        "x = x.cuda(); y = f(\"cuda:0\", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]); z = 'words and more words' * "
        "1000; ";
  for (const char* name : {"a.py", "a.json", "a.txt"}) {
    SCOPED_TRACE(name);
    const Deadline deadline(120);
    const Audit audit = audit_of(".", tree_with(name, line));
    expect_rest_is_complete(audit);
    EXPECT_NE(find_file(audit, name), nullptr);
  }
}

TEST(BadInput, LinksThatLoopOrLeadNowhere) {
  const Deadline deadline(30);
  const TempFolder folder;
  folder.write("good.py", kGood);
  fs::create_directory_symlink("..", folder.path() + "/up");
  fs::create_symlink("loop", folder.path() + "/loop");
  fs::create_symlink("nowhere", folder.path() + "/dangling.py");
  fs::create_symlink("/etc/passwd", folder.path() + "/outside.py");
  const Audit audit = audit_of(folder.path());
  for (const char* name : {"up", "loop", "dangling.py", "outside.py"}) expect_skipped(audit, name, "a link", false);
  expect_rest_is_complete(audit);
}

TEST(BadInput, PipesAndSockets) {
  const Deadline deadline(30);
  const TempFolder folder;
  folder.write("good.py", kGood);
  ASSERT_EQ(mkfifo((folder.path() + "/pipe.py").c_str(), 0600), 0);
  const int handle = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  fmt::format_to_n(address.sun_path, sizeof address.sun_path - 1, "{}/socket.py", folder.path());
  ASSERT_EQ(bind(handle, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const Audit audit = audit_of(folder.path());
  close(handle);
  expect_skipped(audit, "pipe.py", "not a regular file", false);
  expect_skipped(audit, "socket.py", "not a regular file", false);
  expect_rest_is_complete(audit);
}

/// A pipe that took a file's place between listing and reading blocks nobody.
TEST(BadInput, PipeInAFilesPlace) {
  const Deadline deadline(30);
  const TempFolder folder;
  ASSERT_EQ(mkfifo((folder.path() + "/pipe.py").c_str(), 0600), 0);
  ByteBuffer buffer;
  EXPECT_FALSE(real_files().read(folder.path() + "/pipe.py", 100, buffer));
}

/// A report whose name is a pipe or a link must not replace it: as root, `--output /dev/null` would break the machine.
TEST(BadInput, OutputThatIsNoRegularFile) {
  const Deadline deadline(30);
  const TempFolder folder;
  const std::string pipe = folder.path() + "/pipe", link = folder.path() + "/link";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("target", link);
  EXPECT_FALSE(real_files().write(pipe, "x"));  // nobody reads it
  EXPECT_FALSE(real_files().write(link, "x"));
  EXPECT_FALSE(real_files().write(folder.path(), "x"));
  EXPECT_EQ(real_files().info(pipe)->type, FileType::fifo);
  EXPECT_EQ(real_files().info(link)->type, FileType::link);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_TRUE(real_files().write(pipe, "bytes"));
  char read_back[8] = {};
  EXPECT_EQ(read(reader, read_back, sizeof read_back), 5);
  close(reader);
  EXPECT_STREQ(read_back, "bytes");
  EXPECT_EQ(fs::exists(folder.path() + "/target"), false);
}

TEST(BadInput, NamesThatAreNotUtf8OrHoldControls) {
  const TempFolder folder;
  folder.write("good.py", kGood);
  const std::string strange = "gr\xFC\xDF.py", red = "\x1b[31mred\x1b[0m.py", lines = "two\nlines.py",
                    turned = "a\xE2\x80\xAEyp.py";
  for (const std::string& name : {strange, red, lines, turned}) folder.write(name, kGood);
  const Audit audit = audit_of(folder.path());
  for (const std::string& name : {strange, red, lines, turned}) EXPECT_NE(find_file(audit, name), nullptr) << name;
  expect_rest_is_complete(audit);
  std::string report;
  const auto sink = [&](std::string_view bytes) { report += bytes; };
  write_text(audit, catalog(), TextStyle{}, sink);
  write_json(audit, catalog(), 1, sink);
  write_sarif(audit, catalog(), sink);
  write_markdown(audit, catalog(), sink);
  EXPECT_EQ(report.find('\x1b'), std::string::npos);
  EXPECT_EQ(report.find("\xE2\x80\xAE"), std::string::npos);
  EXPECT_TRUE(is_utf8(report));
}

TEST(BadInput, BrokenNotebooks) {
  const std::string whole =
      "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"x = x.cuda()\\n\"], \"outputs\": []}], \"nbformat\": 4}";
  const std::vector<std::string> broken = {
      "x.cuda()",
      "[]",
      "{\"cells\": 7, \"a\": \"cuda\"}",
      "{\"cells\": [\"cuda\", null, 3]}",
      "{\"cells\": [{\"cell_type\": \"code\", \"source\": {\"cuda\": 1}}]}",
      "{\"cells\": [{\"cell_type\": \"code\", \"source\": [1, \"x.cuda()\", null]}]}",
      "{\"cells\": [{\"cell_type\": \"code\", \"source\": \"\\ud800 x.cuda()\"}]}"};
  for (const std::string& text : broken) expect_rest_is_complete(audit_of(".", tree_with("n.ipynb", text)));
  for (std::size_t size = 0; size < whole.size(); ++size)
    expect_rest_is_complete(audit_of(".", tree_with("n.ipynb", whole.substr(0, size))));
}

TEST(BadInput, MissingPath) {
  AuditOptions options;
  options.roots = {"/nowhere/at/all"};
  const auto audit = run_audit(catalog(), options, real_files(), no_processes());
  ASSERT_FALSE(audit);
  EXPECT_THAT(to_string(audit.error()), HasSubstr("/nowhere/at/all"));
  EXPECT_THAT(to_string(audit.error()), HasSubstr("No such file"));
}

TEST(BadInput, RootThatIsNeitherFileNorFolder) {
  const TempFolder folder;
  AuditOptions options;
  options.roots = {folder.path() + "/pipe"};
  ASSERT_EQ(mkfifo(options.roots[0].c_str(), 0600), 0);
  const auto audit = run_audit(catalog(), options, real_files(), no_processes());
  ASSERT_FALSE(audit);
  EXPECT_EQ(audit.error().kind, Error::Kind::usage);
}

TEST(BadInput, RootThatCannotBeListed) {
  MemoryFiles memory = tree_with("a.py", std::string(kGood));
  FaultyFiles files(memory);
  files.before_list = [](const std::string& path) -> Result<void> {
    return fail(Error::Kind::system, "cannot open the folder: Permission denied", path);
  };
  AuditOptions options;
  options.roots = {"."};
  const auto audit = run_audit(catalog(), options, files, no_processes());
  ASSERT_FALSE(audit);
  EXPECT_THAT(to_string(audit.error()), HasSubstr("Permission denied"));
}

TEST(BadInput, DeepFolders) {
  const Deadline deadline(60);
  const TempFolder folder;
  folder.write("good.py", kGood);
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "d/";
  folder.write(deep + "a.py", kGood);
  folder.write("d/d/b.py", kGood);
  const Audit audit = audit_of(folder.path());
  EXPECT_NE(find_file(audit, "d/d/b.py"), nullptr);
  EXPECT_THAT(audit.skipped, testing::SizeIs(1));
  EXPECT_THAT(audit.skipped[0].reason, HasSubstr("nested too deeply"));
  EXPECT_TRUE(audit.skipped[0].problem);
  expect_rest_is_complete(audit);
}

TEST(BadInput, ManySmallFiles) {
  const Deadline deadline(120);
  const TempFolder folder;
  folder.write("good.py", kGood);
  for (int i = 0; i < 50; ++i) fs::create_directory(folder.path() + "/" + std::to_string(i));
  for (int i = 0; i < 50'000; ++i) {
    const std::string path = fmt::format("{}/{}/m{}.py", folder.path(), i % 50, i);
    std::FILE* const file = std::fopen(path.c_str(), "w");
    ASSERT_NE(file, nullptr);
    std::fputs("x = x.cuda()\n", file);
    std::fclose(file);
  }
  const Audit audit = audit_of(folder.path());
  EXPECT_EQ(audit.scanned, 50'001u);
  EXPECT_EQ(audit.files.size(), 50'001u);
  expect_rest_is_complete(audit);
}

TEST(BadInput, ALeadByteThatSwallowsALetter) {
  // In GBK 0x81 and "c" are one character: grep counts "cuda" on disk, the decoded text has no such word.
  const MemoryFiles files = tree_with("a.py",
                                      "# -*- coding: gbk -*-\nname = '\x81"
                                      "cuda'\ny = 'cuda'\n");
  expect_rest_is_complete(audit_of(".", files));
}

TEST(BadInput, ManyOptOutComments) {
  const Deadline deadline(60);
  std::string text, line = "x = x.cuda()  ";
  for (int i = 0; i < 30'000; ++i) text += "x = x.cuda()  # accelport: retain -- fine\n";
  for (int i = 0; i < 100'000; ++i) line += "# accelport: nothing ";
  const Audit audit = audit_of(".", tree_with("a.py", text + line));
  expect_rest_is_complete(audit);
  for (const std::string& problem : audit.problems) ASSERT_LT(problem.size(), 2000u);
}

}  // namespace
}  // namespace accelport::test
