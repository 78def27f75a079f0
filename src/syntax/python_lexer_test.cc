#include "syntax/python_lexer.h"

#include <gtest/gtest.h>

#include "syntax/python_testing.h"

namespace accelport {
namespace {

struct Lexed {
  explicit Lexed(std::string source) {
    const std::size_t size = source.size();
    text = padded(std::move(source));
    lex_python({text.data(), size}, lexed);
  }
  /// Tokens as text, "|" for the end of a logical line.
  std::string tokens() const {
    std::string out;
    for (std::uint32_t i = 0; i < lexed.tokens.size(); ++i) {
      if (!out.empty()) out += ' ';
      out += lexed.tokens[i].kind == PyKind::newline ? "|" : std::string(lexed.text_of(i));
    }
    return out;
  }
  std::string text;
  PyLexed lexed;
};

std::string tokens(std::string source) {
  const Lexed result(std::move(source));
  EXPECT_EQ(result.lexed.damage, 0u) << result.text;
  return result.tokens();
}

TEST(PythonLexer, SplitsNamesNumbersAndOperators) {
  EXPECT_EQ(tokens("a.b(1, 2.5e-3)**=x\n"), "a . b ( 1 , 2.5e-3 ) **= x |");
  EXPECT_EQ(tokens("x if y!=.5 else 0xFFe+1"), "x if y != .5 else 0xFFe + 1 |");
  EXPECT_EQ(tokens("a->b; c:=d; x...y; a<>b; a//=b"), "a -> b ; c := d ; x ... y ; a <> b ; a //= b |");
}

TEST(PythonLexer, KeepsCommentsApart) {
  const Lexed result("a = [ # one\n  1, # two\n]\n# three\n");
  EXPECT_EQ(result.tokens(), "a = [ 1 , ] |");
  ASSERT_EQ(result.lexed.comments.size(), 3u);
  EXPECT_EQ(slice(result.text, result.lexed.comments[1]), "# two");
}

TEST(PythonLexer, KnowsStringPrefixes) {
  EXPECT_EQ(tokens(R"(rb"\"" ur'\n' U"x" bytes("y"))"), R"(rb"\"" ur'\n' U"x" bytes ( "y" ) |)");
}

TEST(PythonLexer, ReadsTripleQuotes) { EXPECT_EQ(tokens("'''a\n'b''\n\\'''c''' x"), "'''a\n'b''\n\\'''c''' x |"); }

TEST(PythonLexer, ReadsInterpolations) {
  EXPECT_EQ(tokens(R"(f"a{b!r:>{w}}c{{d}}{e['k']}")"), R"(f" a { b ! r : > { w } } c{{d}} { e [ 'k' ] } " |)");
  EXPECT_EQ(tokens(R"(t"{x}")"), R"(t" { x } " |)");
}

TEST(PythonLexer, ReadsNestedFStringsWithTheSameQuotes) {
  EXPECT_EQ(tokens(R"(f"{f"{f"{1}"}"}")"), R"(f" { f" { f" { 1 } " } " } " |)");
}

TEST(PythonLexer, ReadsNamedCharactersInFStrings) {
  EXPECT_EQ(tokens(R"(f"\N{DASH} {x}" rf"\N{x}")"), R"(f" \N{DASH}  { x } " rf" \N { x } " |)");
}

TEST(PythonLexer, JoinsLines) {
  const Lexed result("x = (1,\n 2)\ny = 3 \\\n  + 4\n\n  z\n");
  ASSERT_EQ(result.lexed.lines.size(), 3u);
  EXPECT_EQ(result.lexed.lines[2].indent, 2u);
}

TEST(PythonLexer, KnowsHeadersAndIndentation) {
  const Lexed result("if x:  # why\n\ty = {1: 2}\n        z\n");
  ASSERT_EQ(result.lexed.lines.size(), 3u);
  EXPECT_TRUE(result.lexed.lines[0].header);
  EXPECT_FALSE(result.lexed.lines[1].header);
  EXPECT_EQ(result.lexed.lines[1].indent, 8u);
  EXPECT_EQ(result.lexed.lines[2].indent, 8u);
}

TEST(PythonLexer, FormFeedStartsTheLineAgain) {
  EXPECT_EQ(Lexed("a\n\f  b\n").lexed.lines[1].indent, 2u);
  EXPECT_EQ(Lexed("a\n   \fb\n").lexed.lines[1].indent, 0u);
}

TEST(PythonLexer, EveryKindOfLineEndCounts) {
  EXPECT_EQ(tokens("a\r\nb\rc # x\rd"), "a | b | c | d |");
  EXPECT_EQ(tokens("\"a\\\r\nb\""), "\"a\\\r\nb\" |");
}

TEST(PythonLexer, SkipsTheByteOrderMark) { EXPECT_EQ(tokens("\xEF\xBB\xBFimport a"), "import a |"); }

TEST(PythonLexer, ReadsPython2) {
  EXPECT_EQ(tokens("print `x`, 0777L, ur'y'\nexec 'z' in d\n"), "print ` x ` , 0777L , ur'y' | exec 'z' in d |");
}

TEST(PythonLexer, LinksOccurrencesOfAName) {
  const Lexed result("torch.cuda; cuda.torch; torch\n");
  const std::uint32_t name = result.lexed.names.find("torch");
  EXPECT_EQ(name, static_cast<std::uint32_t>(PyWord::torch_));
  std::vector<std::uint32_t> found;
  for (auto t = result.lexed.names.first(name); t != kNoToken; t = result.lexed.tokens[t].next) found.push_back(t);
  EXPECT_EQ(found, (std::vector<std::uint32_t>{0, 6, 8}));
  EXPECT_EQ(result.lexed.names.find("absent"), 0u);
}

TEST(PythonLexer, NamesOfAllLengthsAreTold) {
  const Lexed result("abcdefgh abcdefghi abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyZ abcdefgh\n");
  const auto& t = result.lexed.tokens;
  EXPECT_EQ(t[0].name, t[4].name);
  EXPECT_NE(t[0].name, t[1].name);
  EXPECT_NE(t[2].name, t[3].name);
}

TEST(PythonLexer, TableIsClearedBetweenFiles) {
  PyLexed lexed;
  const std::string first = padded("one two three"), second = padded("three");
  lex_python({first.data(), 13}, lexed);
  lex_python({second.data(), 5}, lexed);
  EXPECT_EQ(lexed.names.find("one"), 0u);
  EXPECT_EQ(lexed.tokens.size(), 2u);
  EXPECT_EQ(lexed.names.text(lexed.tokens[0].name), "three");
}

TEST(PythonLexer, TableGrows) {
  std::string source;
  for (int i = 0; i < 9000; ++i) source += "name" + std::to_string(i) + " ";
  const Lexed result(source + source);
  for (const int i : {0, 77, 8999}) {
    const std::uint32_t name = result.lexed.names.find("name" + std::to_string(i));
    ASSERT_NE(name, 0u);
    EXPECT_NE(result.lexed.tokens[result.lexed.names.first(name)].next, kNoToken);
  }
  EXPECT_EQ(result.lexed.names.find("if"), static_cast<std::uint32_t>(PyWord::if_));
}

TEST(PythonLexer, CountsDamage) {
  for (const char* source : {"x = 'a\n", "x = \"\"\"a", "x = (1\n", "x = 1)\n", "f'{x'\n", "f'{x:\n'"}) {
    EXPECT_GT(Lexed(source).lexed.damage, 0u) << source;
  }
}

TEST(PythonLexer, FindsTheNextStatementBehindAnOpenBracket) {
  const Lexed result("x = f(1,\n\ndef g():\n    return 1\nclass A: pass\n");
  EXPECT_EQ(result.lexed.damage, 1u);
  ASSERT_EQ(result.lexed.lines.size(), 4u);
  EXPECT_EQ(result.lexed.lines[2].indent, 4u);
}

TEST(PythonLexer, FindsTheNextStatementBehindAnOpenField) {
  const Lexed result("x = f'{y\nimport cuda\n");
  ASSERT_EQ(result.lexed.lines.size(), 2u);
  EXPECT_TRUE(result.lexed.lines[1].imports);
}

}  // namespace
}  // namespace accelport
