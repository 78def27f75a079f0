#include <chrono>

#include <gtest/gtest.h>

#include "syntax/python_testing.h"

namespace accelport {
namespace {

TEST(PythonReader, CommentsAreOneSiteEach) {
  const PythonSnippet snippet("x = 1  # cuda and nccl\n# nothing\n#cuda\r\n");
  ASSERT_EQ(snippet.sites().size(), 2u);
  EXPECT_EQ(snippet.text(snippet.sites()[0]), "# cuda and nccl");
  EXPECT_EQ(snippet.text(snippet.sites()[1]), "#cuda");
  EXPECT_EQ(snippet.sites()[0].kind, SiteKind::comment);
}

TEST(PythonReader, DocstringsAreOneSiteALine) {
  const PythonSnippet snippet("def f():\n  \"\"\"Uses cuda, cuda.\n\n    And nccl.  \n  no\n  \"\"\"\n");
  ASSERT_EQ(snippet.sites().size(), 2u);
  EXPECT_EQ(snippet.text(snippet.sites()[0]), "\"\"\"Uses cuda, cuda.");
  EXPECT_EQ(snippet.text(snippet.sites()[1]), "And nccl.");
  EXPECT_EQ(snippet.sites()[1].kind, SiteKind::docstring);
  EXPECT_EQ(snippet.sites()[1].function, "f");
}

TEST(PythonReader, ALongStringThatIsUsedIsOneSite) {
  const PythonSnippet snippet("s = '''cuda\ncuda\n'''\n");
  ASSERT_EQ(snippet.sites().size(), 1u);
  EXPECT_EQ(snippet.sites()[0].kind, SiteKind::string);
  EXPECT_EQ(snippet.sites()[0].value, "cuda\ncuda\n");
}

TEST(PythonReader, OneSitePerLiteralOfAConcatenation) {
  const PythonSnippet snippet("f('cuda' \"nccl\" 'x', 'cuda')\n");
  ASSERT_EQ(snippet.sites().size(), 3u);
  EXPECT_EQ(snippet.site("'cuda'").argument, 0);
  EXPECT_EQ(snippet.site("\"nccl\"").argument, 0);
  EXPECT_EQ(snippet.site("'cuda'", 1).argument, 1);
}

TEST(PythonReader, FStringsAreOneSiteAndTheirHolesHaveTheirOwn) {
  const PythonSnippet snippet("x = f'cuda:{torch.cuda.current_device()} {{a}} {b!r:>{w}}'\ny = f'{z.cuda()}'\n");
  const Site& literal = snippet.sites()[0];
  EXPECT_EQ(literal.kind, SiteKind::string);
  EXPECT_EQ(literal.value, "cuda:{} {a} {}");
  EXPECT_EQ(snippet.site("torch.cuda.current_device").context, Context::interpolated);
  EXPECT_EQ(snippet.sites().size(), 3u);
}

TEST(PythonReader, ValuesAreDecoded) {
  EXPECT_EQ(PythonSnippet("x = '\\x63uda \\143uda \\u0063uda\\n cuda'").sites()[0].value, "cuda cuda cuda\n cuda");
  EXPECT_EQ(PythonSnippet("x = r'\\ncuda'").sites()[0].value, "\\ncuda");
  EXPECT_EQ(PythonSnippet("x = b'cu\\\nda cuda'").sites()[0].value, "cuda cuda");
}

TEST(PythonReader, SplitWordsAreFound) {
  const PythonSnippet snippet("# cuda\nx = 'cu' 'da'\ny = 'nc' + 'cl'\nz = 'cud' 'a:0' 'x'\n");
  EXPECT_EQ(snippet.site("'cu'").value, "cuda");
  EXPECT_EQ(snippet.site("'nc'").value, "nccl");
  EXPECT_EQ(snippet.site("'cud'").value, "cuda:0x");
}

TEST(PythonReader, ChainsBehindCallsBeginBehindTheDot) {
  const PythonSnippet snippet("f(x).cuda(1).half().cuda()\n");
  ASSERT_EQ(snippet.sites().size(), 2u);
  EXPECT_EQ(snippet.sites()[0].api, "?.cuda");
  EXPECT_EQ(snippet.sites()[0].first_argument, "1");
  EXPECT_EQ(snippet.text(snippet.sites()[1]), "cuda");
}

TEST(PythonReader, CallsAreDescribed) {
  const PythonSnippet snippet(
      "import torch\ntorch.cuda.f('a' 'b', *x, c=1, "
      "**d)\ng.cuda(-1)\nh.cuda(torch.x)\nk.cuda(a=1)\nl.cuda(v.w)\nm.cuda((1, 2), n)\n");
  const Site& call = snippet.site("torch.cuda.f");
  EXPECT_TRUE(call.called);
  EXPECT_EQ(call.positional, 2);
  EXPECT_EQ(call.keywords, (std::vector<std::string_view>{"c", "**"}));
  EXPECT_EQ(call.first_argument, "ab");
  EXPECT_EQ(snippet.site("g.cuda").first_argument, "-1");
  EXPECT_EQ(snippet.site("h.cuda").first_argument, "torch.x");
  EXPECT_EQ(snippet.site("k.cuda").first_argument, "");
  EXPECT_EQ(snippet.site("l.cuda").first_argument, "v.w");
  EXPECT_EQ(snippet.site("m.cuda").positional, 2);
  EXPECT_EQ(snippet.site("m.cuda").first_argument, "");
}

TEST(PythonReader, TriggersBecomeSites) {
  const PythonSnippet snippet("m = nn.DataParallel(m)\nx = y.to(0)\nA.f(device_map='auto')\n",
                              {"DataParallel(", ".to(0", "device_map"});
  EXPECT_EQ(snippet.site("nn.DataParallel").api, "torch.nn.DataParallel");
  EXPECT_EQ(snippet.site("y.to").first_argument, "0");
  EXPECT_EQ(snippet.site("device_map").context, Context::keyword_name);
  EXPECT_EQ(snippet.site("device_map").value, "auto");
}

TEST(PythonReader, SitesOfOneLineShareTheStatement) {
  const PythonSnippet snippet("a = 1\nd = ('cuda'\n  if torch.cuda.is_available() else 'cpu')\nx.cuda()\n");
  EXPECT_EQ(snippet.site("'cuda'").statement, snippet.site("torch.cuda.is_available").statement);
  EXPECT_NE(snippet.site("'cuda'").statement, snippet.site("x.cuda").statement);
}

TEST(PythonReader, Python2) {
  const PythonSnippet snippet(
      "print 'cuda', `x.cuda`\nexec 'cuda' in d\ntry:\n  y.cuda()\nexcept E, e:\n  raise E, 'nccl'\n");
  EXPECT_EQ(snippet.damage(), 0u);
  EXPECT_EQ(snippet.site("'cuda'").callee, "print");
  EXPECT_EQ(snippet.site("y.cuda").api, "?.cuda");
  EXPECT_TRUE(has(snippet.site("'nccl'").flows, Flow::message));
  EXPECT_TRUE(snippet.covers_all_hits());
}

TEST(PythonReader, DamagedTextStillHasSites) {
  for (const char* source : {"x = f('cuda'\ndef g(): y.cuda()\n", "x = 'cuda\ny.cuda()\n", "f'{x.cuda\ny.cuda()\n",
                             "x = \"\"\"cuda", ")]}cuda", "f'{cuda:'\n'''cuda", "from torch.cuda import (\n", "import",
                             "from . import cuda as", "@cuda", "lambda cuda", "x = cuda[cuda:(cuda", "class cuda(",
                             "def cuda[", "f(**cuda", "cuda =", "== cuda", "cuda == ", "not in cuda"}) {
    const PythonSnippet snippet(source);
    EXPECT_TRUE(snippet.covers_all_hits()) << source;
  }
  EXPECT_GT(PythonSnippet("x = f('cuda'\n").damage(), 0u);
  EXPECT_FALSE(PythonSnippet("import torch\ntorch.cuda.x(\n").site("torch.cuda.x").certain_name);
}

TEST(PythonReader, NoHitNoSite) { EXPECT_TRUE(PythonSnippet("import torch\nx = torch.zeros(1)\n").sites().empty()); }

// --- hostile input: twice the size may cost at most 2.5 times the time -------------------------------

std::string repeated(std::string_view text, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += text;
  return out;
}

using Maker = std::string (*)(int);

double seconds(const std::string& source) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const PythonSnippet snippet(source);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

class Hostile : public testing::TestWithParam<Maker> {};

TEST_P(Hostile, IsLinear) {
  const int n = 20000;
  const std::string once = GetParam()(n), twice = GetParam()(2 * n);
  // Other processes can slow one measurement down: the best of a few counts.
  double ratio = 1e9;
  for (int i = 0; i < 5 && ratio > 2.5; ++i)
    ratio = std::min(ratio, (seconds(twice) + 0.002) / (seconds(once) + 0.002));
  EXPECT_LE(ratio, 2.5);
}

INSTANTIATE_TEST_SUITE_P(
    All, Hostile,
    testing::Values(
        +[](int n) { return "x = [" + repeated("'cuda:0', ", n) + "]\n"; },
        +[](int n) { return "x = {" + repeated("'cuda': 'nccl', ", n) + "}\n"; },
        +[](int n) { return "x = y" + repeated(".cuda()", n) + "\n"; },
        +[](int n) { return "def f():\n  if is_xpu():\n    return 1\n" + repeated("  if a:\n    return 'cuda'\n", n); },
        +[](int n) { return "x = " + repeated("f\"cuda{", n) + "1" + repeated("}\"", n) + "\n"; },
        +[](int n) { return "x = f'{y:" + repeated("{cuda:", n) + repeated("}", n) + "}'\n"; },
        +[](int n) { return "x = torch" + repeated(".cuda", n) + "(" + repeated("'cuda',", n) + ")\n"; },
        +[](int n) { return "x = 'cuda'" + repeated(" + 'cuda'", n) + "\n"; },
        +[](int n) { return "x = (" + repeated("'cuda'\n", n) + ")\n"; },
        +[](int n) { return "x = " + repeated("(", n) + "'cuda'" + repeated(")", n) + "\n"; },
        +[](int n) { return "x = " + repeated("f('cuda',", n) + repeated(")", n) + "\n"; },
        +[](int n) { return "x = " + repeated("f('cuda',", n); },
        +[](int n) { return "x = " + repeated("lambda cuda: ", n) + "cuda\n"; },
        +[](int n) { return "x = " + repeated("[cuda for cuda in ", n) + "y" + repeated("]", n) + "\n"; },
        +[](int n) { return "x = a.cuda" + repeated(" and a.cuda", n) + "\n"; },
        +[](int n) { return "x = 'cuda'" + repeated(" if a.cuda else 'cuda'", n) + "\n"; },
        +[](int n) { return "if cuda: pass\n" + repeated("elif x.cuda: y.cuda()\n", n); },
        +[](int n) { return "def f():\n" + repeated("  if x.cuda: return y.cuda()\n", n); },
        +[](int n) { return "class A:\n" + repeated("  def cuda(self, device='cuda'): self.cuda(device)\n", n); },
        +[](int n) { return repeated("@cuda\n", n) + "def f(): cuda()\n"; },
        +[](int n) { return "d = 'cuda'\n" + repeated("x.to(d)\n", n); },
        +[](int n) { return "d = 'cuda'\n" + repeated("d = d + d\n", n); },
        +[](int n) { return "def f(x): x.to(x)\n" + repeated("f('cuda')\n", n); },
        +[](int n) { return repeated("from torch import cuda\n", n) + repeated("cuda.x()\n", n); },
        +[](int n) {
          std::string source;
          for (int i = 0; i < n; ++i)
            source += "from torch.cuda import a" + std::to_string(i) + "\na" + std::to_string(i) + "()\n";
          return source;
        },
        +[](int n) {
          std::string source = "import torch\na0 = torch.cuda\n";
          for (int i = 0; i < n; ++i) source += "a" + std::to_string(i + 1) + " = a" + std::to_string(i) + "\n";
          return source;
        },
        +[](int n) {
          std::string source = "a0 = 'cuda'\n";
          for (int i = 0; i < n; ++i) source += "a" + std::to_string(i + 1) + " = a" + std::to_string(i) + "\n";
          return source + "x.to(a" + std::to_string(n) + ")\n";
        },
        +[](int n) { return "'''" + repeated("cuda ", n) + "'''\n"; },
        +[](int n) { return "x = 'cuda\n" + repeated("x = f'{cuda\n", n); }));

}  // namespace
}  // namespace accelport
