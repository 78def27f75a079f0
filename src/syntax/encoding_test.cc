#include <gtest/gtest.h>

#include "syntax/encoding.h"
#include "syntax/scan.h"

namespace accelport {
namespace {

struct Decoded {
  std::string bytes;
  DecodedText result;
};

/// Keeps the bytes alive, with the padding that the decoder asks for.
Decoded decode(std::string_view bytes, Language language = Language::python) {
  Decoded out;
  out.bytes = std::string(bytes);
  out.bytes.append(kTextPadding, '\0');
  out.result = decode_text(std::string_view(out.bytes).substr(0, bytes.size()), language);
  return out;
}

TEST(Encoding, Utf8IsUsedInPlace) {
  const Decoded one = decode("x = 'é'\n");
  EXPECT_EQ(one.result.encoding, Encoding::utf8);
  EXPECT_EQ(one.result.text.data(), one.bytes.data());
  EXPECT_EQ(one.result.to_bytes(5), 5u);
  EXPECT_EQ(one.result.problem, "");
}

TEST(Encoding, ByteOrderMarkIsNoText) {
  const Decoded one = decode("\xEF\xBB\xBFx.cuda()");
  EXPECT_EQ(one.result.encoding, Encoding::utf8_bom);
  EXPECT_EQ(one.result.text, "x.cuda()");
  EXPECT_EQ(one.result.to_bytes(2), 5u);
}

TEST(Encoding, Utf16WithAndWithoutMark) {
  const std::string_view le("\xFF\xFEx\0 \0\x3D\xD8\x00\xDE!\0", 12);
  const Decoded one = decode(le);
  EXPECT_EQ(one.result.encoding, Encoding::utf16_le);
  EXPECT_EQ(one.result.text, "x 😀!");
  EXPECT_EQ(one.result.to_bytes(0), 2u);
  EXPECT_EQ(one.result.to_bytes(2), 6u);
  EXPECT_EQ(one.result.to_bytes(6), 10u);
  EXPECT_EQ(one.result.to_bytes(7), 12u);
  std::string bare;
  for (const char c : std::string_view("import torch")) bare += std::string("\0", 1) + c;
  EXPECT_EQ(decode(bare).result.encoding, Encoding::utf16_be);
  EXPECT_EQ(decode(bare).result.text, "import torch");
}

TEST(Encoding, NulIsBinary) {
  EXPECT_EQ(decode(std::string_view("cuda\0\x01\x02 more text here", 22)).result.encoding, Encoding::binary);
}

TEST(Encoding, CookieOfPython) {
  // The second byte of the character is a backslash.
  const Decoded one = decode("# -*- coding: gbk -*-\ns = '\x95\x5C'; x.cuda()\n");
  EXPECT_EQ(one.result.encoding, Encoding::declared);
  EXPECT_EQ(one.result.charset, "gbk");
  const std::size_t at = one.result.text.find("x.cuda");
  ASSERT_NE(at, std::string_view::npos);
  EXPECT_EQ(one.bytes.substr(one.result.to_bytes(static_cast<std::uint32_t>(at)), 6), "x.cuda");
  EXPECT_EQ(one.result.text.find('\\'), std::string_view::npos);
  EXPECT_EQ(decode("# vim: set fileencoding=shift_jis\ns = '\x83\x5C'\n").result.charset, "shift_jis");
}

TEST(Encoding, SingleByteCharsetsNeedNoWork) {
  const Decoded one = decode("# coding: latin-1\ns = '\xE9'\n");
  EXPECT_EQ(one.result.charset, "latin-1");
  EXPECT_FALSE(one.result.transcoded);
  EXPECT_EQ(one.result.problem, "");
}

TEST(Encoding, UndecodableBytesStay) {
  const Decoded one = decode("// \xD5\xE2 cuda\n", Language::cxx);
  EXPECT_EQ(one.result.charset, "unknown-8bit");
  EXPECT_NE(one.result.problem, "");
  EXPECT_EQ(one.result.text.data(), one.bytes.data());
}

TEST(Encoding, CookieCountsOnlyInTheFirstTwoLinesOfComments) {
  EXPECT_EQ(decode("x = 1\n# coding: gbk\ns = '\xD5\xE2'\n").result.charset, "unknown-8bit");
  EXPECT_EQ(decode("#!/x\n# coding: gbk\ns = '\xD5\xE2'\n").result.charset, "gbk");
  EXPECT_EQ(decode("# coding: nonsense\ns = '\xD5'\n").result.charset, "unknown-8bit");
}

TEST(Encoding, EmptyFile) { EXPECT_EQ(decode("").result.text, ""); }

}  // namespace
}  // namespace accelport
