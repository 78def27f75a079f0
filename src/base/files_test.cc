#include "base/files.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace accelport {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class RealFilesTest : public testing::Test {
 protected:
  RealFilesTest() {
    root_ = testing::TempDir() + "accelport-files-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) +
            testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(root_);
  }
  ~RealFilesTest() override { fs::remove_all(root_); }

  std::string at(const std::string& name) const { return root_ + "/" + name; }
  const Files& files_ = real_files();
  std::string root_;
};

std::vector<std::string> names_of(const std::vector<DirectoryEntry>& entries) {
  std::vector<std::string> names;
  for (const DirectoryEntry& entry : entries) names.push_back(entry.name);
  return names;
}

TEST_F(RealFilesTest, WritesAndReadsBytes) {
  const std::string bytes("a\0b\n\xFF", 5);
  ASSERT_TRUE(files_.write(at("x"), bytes));
  ByteBuffer buffer;
  ASSERT_TRUE(files_.read(at("x"), 100, buffer));
  EXPECT_EQ(buffer.view(), bytes);
  EXPECT_EQ(files_.info(at("x"))->size, 5u);
  EXPECT_EQ(files_.info(at("x"))->type, FileType::regular);
}

TEST_F(RealFilesTest, KeepsTheModeOfAReplacedFileAndLeavesNothingBeside) {
  ASSERT_TRUE(files_.write(at("x"), "1"));
  fs::permissions(at("x"), fs::perms(0755));
  ASSERT_TRUE(files_.write(at("x"), "2"));
  EXPECT_EQ(files_.info(at("x"))->mode, 0755u);
  EXPECT_THAT(names_of(*files_.list(root_)), ElementsAre("x"));
}

TEST_F(RealFilesTest, ListsSortedWithTypes) {
  fs::create_directories(at("folder"));
  ASSERT_TRUE(files_.write(at("b"), ""));
  ASSERT_TRUE(files_.write(at("a"), ""));
  fs::create_symlink("a", at("link"));
  const auto entries = files_.list(root_);
  ASSERT_TRUE(entries);
  EXPECT_THAT(names_of(*entries), ElementsAre("a", "b", "folder", "link"));
  EXPECT_EQ((*entries)[2].type, FileType::directory);
  EXPECT_EQ((*entries)[3].type, FileType::link);
}

TEST_F(RealFilesTest, FollowsNoLink) {
  ASSERT_TRUE(files_.write(at("a"), "secret"));
  fs::create_symlink("a", at("link"));
  EXPECT_EQ(files_.info(at("link"))->type, FileType::link);
  ByteBuffer buffer;
  EXPECT_FALSE(files_.read(at("link"), 100, buffer));
}

TEST_F(RealFilesTest, RefusesWhatIsTooLargeOrNoFile) {
  ASSERT_TRUE(files_.write(at("x"), "12345"));
  ByteBuffer buffer;
  EXPECT_FALSE(files_.read(at("x"), 4, buffer));
  EXPECT_TRUE(files_.read(at("x"), 5, buffer));
  const auto folder = files_.read(root_, 100, buffer);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().kind, Error::Kind::input);
  const auto missing = files_.read(at("none"), 100, buffer);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, Error::Kind::system);
  EXPECT_THAT(to_string(missing.error()), testing::HasSubstr("No such file"));
}

TEST_F(RealFilesTest, ReadsAFileWhoseSizeIsUnknown) {
  ByteBuffer buffer;
  ASSERT_TRUE(files_.read("/proc/self/status", 1 << 20, buffer));  // says that it has 0 bytes
  EXPECT_THAT(std::string(buffer.view()), testing::HasSubstr("Name:"));
}

TEST_F(RealFilesTest, CanonicalResolvesLinks) {
  fs::create_directories(at("folder"));
  fs::create_symlink("folder", at("link"));
  EXPECT_EQ(*files_.canonical(at("link")), *files_.canonical(at("folder")));
  EXPECT_FALSE(files_.canonical(at("none")));
}

TEST(ByteBuffer, KeepsItsMemoryAndItsPadding) {
  ByteBuffer buffer;
  EXPECT_EQ(buffer.view(), "");
  buffer.assign("a longer text");
  const std::size_t capacity = buffer.capacity();
  buffer.assign("ab");
  EXPECT_EQ(buffer.view(), "ab");
  EXPECT_EQ(buffer.capacity(), capacity);
  for (std::size_t i = 0; i < ByteBuffer::kPadding; ++i) ASSERT_EQ(buffer.view().data()[2 + i], '\0');
}

TEST_F(RealFilesTest, APrivateFolderIsNewAndGoesWithEverythingInIt) {
  const EditableFiles& files = real_editable_files();
  const std::string one = files.make_private_folder(at("run-")).value();
  const std::string other = files.make_private_folder(at("run-")).value();
  EXPECT_NE(one, other);
  EXPECT_EQ(files.info(one)->mode, 0700u);
  fs::create_directories(one + "/a/b");
  ASSERT_TRUE(files.write(one + "/a/b/c", "x"));
  fs::create_directory_symlink(other, one + "/a/link");
  ASSERT_TRUE(remove_tree(one, files));
  EXPECT_FALSE(fs::exists(one));
  EXPECT_TRUE(fs::exists(other));
}

TEST(MemoryFiles, BehavesLikeATree) {
  MemoryFiles files;
  files.put("a/b/c.py", "x");
  files.put("d.py", "yy");
  files.put_special("a/pipe", FileType::fifo);
  EXPECT_THAT(names_of(*files.list(".")), ElementsAre("a", "d.py"));
  EXPECT_THAT(names_of(*files.list("a")), ElementsAre("b", "pipe"));
  EXPECT_EQ(files.info("a/b")->type, FileType::directory);
  EXPECT_EQ(files.info("a/pipe")->type, FileType::fifo);
  EXPECT_EQ(files.info("d.py")->size, 2u);
  EXPECT_FALSE(files.info("a/b/c"));
  EXPECT_FALSE(files.list("none"));
  ByteBuffer buffer;
  EXPECT_FALSE(files.read("d.py", 1, buffer));
  ASSERT_TRUE(files.write("e", "z"));
  ASSERT_TRUE(files.read("e", 10, buffer));
  EXPECT_EQ(buffer.view(), "z");
}

TEST(JoinPath, DoesNotDoubleTheSlash) {
  EXPECT_EQ(join_path("", "a"), "a");
  EXPECT_EQ(join_path(".", "a"), "a");
  EXPECT_EQ(join_path("a", "b"), "a/b");
  EXPECT_EQ(join_path("/", "b"), "/b");
}

}  // namespace
}  // namespace accelport
