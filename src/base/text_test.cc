#include "base/text.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace accelport {
namespace {

TEST(LineTable, CountsNewlinesOnly) {
  const std::string text = "a\nbc\r\n\nd";
  const LineTable lines(text);
  EXPECT_EQ(lines.count(), 4u);
  EXPECT_EQ(slice(text, lines.line(2)), "bc\r");
  EXPECT_EQ(slice(text, lines.line(3)), "");
  EXPECT_EQ(slice(text, lines.line(4)), "d");
  const Position d = lines.position(7);
  EXPECT_EQ(d.line, 4u);
  EXPECT_EQ(d.column, 1u);
  EXPECT_EQ(lines.position(3).column, 2u);
}

TEST(LineTable, EmptyTextHasOneLine) {
  const LineTable lines("");
  EXPECT_EQ(lines.count(), 1u);
  EXPECT_EQ(lines.line(1), (Span{0, 0}));
  EXPECT_EQ(lines.position(0).line, 1u);
}

TEST(LineTable, LastLineWithoutEnd) {
  const LineTable lines("x\n");
  EXPECT_EQ(lines.count(), 2u);
  EXPECT_EQ(lines.line(2), (Span{2, 2}));
  EXPECT_EQ(lines.position(2).line, 2u);
}

TEST(Slice, CutsWhatIsPastTheEnd) {
  EXPECT_EQ(slice("abc", {1, 9}), "bc");
  EXPECT_EQ(slice("abc", {5, 9}), "");
}

TEST(Utf8, AcceptsOnlyWellFormedBytes) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("gr\xC3\xBC\xC3\x9F \xE6\x98\xBE \xF0\x9F\x98\x80"));
  EXPECT_FALSE(is_utf8("\x80"));
  EXPECT_FALSE(is_utf8("\xC0\xAF"));          // overlong
  EXPECT_FALSE(is_utf8("\xE0\x80\xAF"));      // overlong
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));      // a surrogate
  EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80"));  // past the last character
  EXPECT_FALSE(is_utf8("\xE6\x98"));          // cut off
}

TEST(EscapeForDisplay, HidesNothing) {
  EXPECT_EQ(escape_for_display("plain \xC3\xBC"), "plain \xC3\xBC");
  EXPECT_EQ(escape_for_display("\x1b[31mred"), "\\x1B[31mred");
  EXPECT_EQ(escape_for_display("a\tb\nc\r"), "a\\tb\\nc\\r");
  EXPECT_EQ(escape_for_display("a\xE2\x80\xAE"
                               "b"),
            "a\\u{202E}b");  // right-to-left override
  EXPECT_EQ(escape_for_display("\xFF"), "\\xFF");
  EXPECT_EQ(escape_for_display(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(escape_for_display("\xC2\x9B"), "\\u{009B}");  // the one-byte escape introducer
}

TEST(DisplayWidth, KnowsWideAndCombiningCharacters) {
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("\xE6\x98\xBE\xE5\x8D\xA1"), 4);
  EXPECT_EQ(display_width("e\xCC\x81"), 1);
  EXPECT_EQ(display_width("\xFF"), 1);
}

TEST(Utf16Length, CountsCodeUnits) {
  EXPECT_EQ(utf16_length("abc"), 3u);
  EXPECT_EQ(utf16_length("\xE6\x98\xBE"), 1u);
  EXPECT_EQ(utf16_length("\xF0\x9F\x98\x80"), 2u);
  EXPECT_EQ(utf16_length("\xFF\xFF"), 2u);
}

TEST(Words, IgnoreCaseOfAsciiOnly) {
  EXPECT_EQ(ascii_lower("CuDa\xC3\x9C"), "cuda\xC3\x9C");
  EXPECT_TRUE(starts_with_ignoring_case("CUDA_HOME", "cuda"));
  EXPECT_FALSE(starts_with_ignoring_case("cu", "cuda"));
  EXPECT_TRUE(contains_ignoring_case("no CuDa here", "cuda"));
  EXPECT_FALSE(contains_ignoring_case("", "x"));
  EXPECT_EQ(trim(" \t x y\r\n"), "x y");
  EXPECT_EQ(trim("  "), "");
}

TEST(GlobMatch, StarStandsForAnything) {
  EXPECT_TRUE(glob_match("torch.cuda.*", "torch.cuda.amp.autocast"));
  EXPECT_FALSE(glob_match("torch.cuda.*", "torch.cuda"));
  EXPECT_TRUE(glob_match("*.cuda", "?.cuda"));
  EXPECT_TRUE(glob_match("a*b*c", "aXbYbc"));
  EXPECT_FALSE(glob_match("a*b", "abX"));
  EXPECT_TRUE(glob_match("", ""));
  EXPECT_TRUE(glob_match("**", ""));
}

TEST(PathMatch, WithoutSlashMeansAnyLastComponent) {
  EXPECT_TRUE(path_match("*.py", "a/b/c.py"));
  EXPECT_TRUE(path_match("c.py", "a/b/c.py"));
  EXPECT_FALSE(path_match("b", "a/b/c.py"));
  EXPECT_TRUE(path_match("?.py", "a/b/c.py"));
  EXPECT_FALSE(path_match("?.py", "a/b/cc.py"));
}

TEST(PathMatch, StarStopsAtSlash) {
  EXPECT_TRUE(path_match("src/*.py", "src/a.py"));
  EXPECT_FALSE(path_match("src/*.py", "src/a/b.py"));
  EXPECT_FALSE(path_match("src?a.py", "src/a.py"));
  EXPECT_TRUE(path_match("./src/*.py", "src/a.py"));
  EXPECT_TRUE(path_match("s*/*b/*", "src/aab/c"));
  EXPECT_FALSE(path_match("s*/*b/*", "src/aac/c"));
}

TEST(PathMatch, TwoStarsGoThroughFolders) {
  EXPECT_TRUE(path_match("**/b.py", "b.py"));
  EXPECT_TRUE(path_match("**/b.py", "x/y/b.py"));
  EXPECT_FALSE(path_match("**/b.py", "x/ab.py"));
  EXPECT_TRUE(path_match("src/**/b.py", "src/b.py"));
  EXPECT_TRUE(path_match("src/**/b.py", "src/x/y/b.py"));
  EXPECT_TRUE(path_match("src/**", "src/x/y"));
  EXPECT_FALSE(path_match("src/**", "lib/src/x"));
  EXPECT_TRUE(path_match("**/a/**/b", "a/x/a/b"));
  EXPECT_TRUE(path_match("**/a*c/**", "x/abc/d/e"));
  EXPECT_TRUE(path_match("build/", "build/a/b"));
  EXPECT_FALSE(path_match("build/", "rebuild/a"));
  EXPECT_TRUE(path_match("***/x", "a/x"));
}

TEST(PathMatch, HostilePatternsTakeLittleTime) {
  std::string pattern, path;
  for (int i = 0; i < 60; ++i) pattern += "**/a*a*";
  for (int i = 0; i < 400; ++i) path += "aaaaaaaa/";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(path_match(pattern + "/nothing", path + "b"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

}  // namespace
}  // namespace accelport
