#include "syntax/python_annotate.h"

#include <gtest/gtest.h>

#include "syntax/python_testing.h"

namespace accelport {
namespace {

struct Case {
  const char* source;
  Context context;
  const char* keyword = "";
  int argument = -1;
  const char* callee = "";
};

void expect_place(const Case& c, std::string_view text) {
  const PythonSnippet snippet(c.source);
  ASSERT_TRUE(snippet.has(text)) << c.source;
  const Site& site = snippet.site(text);
  EXPECT_EQ(static_cast<int>(site.context), static_cast<int>(c.context)) << c.source;
  EXPECT_EQ(site.keyword, c.keyword) << c.source;
  EXPECT_EQ(site.argument, c.argument) << c.source;
  EXPECT_EQ(site.callee, c.callee) << c.source;
  EXPECT_EQ(snippet.damage(), 0u) << c.source;
}

class StringPlace : public testing::TestWithParam<Case> {};
TEST_P(StringPlace, IsFound) { expect_place(GetParam(), "'cuda'"); }

INSTANTIATE_TEST_SUITE_P(Calls, StringPlace,
                         testing::Values(Case{"x.to('cuda')", Context::argument, "", 0, "?.to"},
                                         Case{"x.to(a, (b, c), 'cuda')", Context::argument, "", 2, "?.to"},
                                         Case{"x.to(('cuda'))", Context::argument, "", 0, "?.to"},
                                         Case{"x.to(device='cuda')", Context::keyword, "device", -1, "?.to"},
                                         Case{"f(x)[0].to(lambda a, b: a, 'cuda')", Context::argument, "", 1, "?.to"},
                                         Case{"f(*a, 'cuda')", Context::argument, "", 1, "f"},
                                         Case{"f(**{'a': 1}, b='cuda')", Context::keyword, "b", -1, "f"},
                                         Case{"f(x)('cuda')", Context::argument, "", 0, "?"},
                                         Case{"f('cuda' for x in y)", Context::argument, "", 0, "f"},
                                         Case{"class A(B, c='cuda'): pass", Context::keyword, "c"},
                                         Case{"@g('cuda')\ndef f(): pass", Context::argument, "", 0, "g"},
                                         Case{"print 'cuda'", Context::argument, "", 0, "print"},
                                         Case{"print >>f, x, 'cuda'", Context::argument, "", 2, "print"}));

INSTANTIATE_TEST_SUITE_P(
    Assignments, StringPlace,
    testing::Values(Case{"d = 'cuda'", Context::assigned, "d"}, Case{"a = d = 'cuda'", Context::assigned, "d"},
                    Case{"self.d = 'cuda'", Context::assigned, "self.d"},
                    Case{"cfg['d'] = 'cuda'", Context::assigned, "cfg.d"},
                    Case{"d: str = 'cuda'", Context::assigned, "d"},
                    Case{"self.d: Optional[str] = 'cuda'", Context::assigned, "self.d"},
                    Case{"d += 'cuda'", Context::assigned, "d"}, Case{"if (d := 'cuda'): pass", Context::assigned, "d"},
                    Case{"d = 'cuda' if x else 'cpu'", Context::assigned, "d"},
                    Case{"d = 'cpu' if x else 'cuda'", Context::assigned, "d"},
                    Case{"d = 'mps' if m() else ('cuda' if c else 'cpu')", Context::assigned, "d"},
                    Case{"d = ('cuda'\n  if x else 'cpu')", Context::assigned, "d"},
                    Case{"x = 1; d = 'cuda'", Context::assigned, "d"}, Case{"if x: d = 'cuda'", Context::assigned, "d"},
                    Case{"type D = 'cuda'", Context::assigned, "D"}));

INSTANTIATE_TEST_SUITE_P(
    Definitions, StringPlace,
    testing::Values(Case{"def f(x, device='cuda'): pass", Context::default_value, "device"},
                    Case{"def f(x, device: str = 'cuda', *, y): pass", Context::default_value, "device"},
                    Case{"async def f(device='cuda'): pass", Context::default_value, "device"},
                    Case{"def f[T: int](device='cuda'): pass", Context::default_value, "device"},
                    Case{"g = lambda x, device='cuda': x", Context::default_value, "device"},
                    Case{"def f(x: 'cuda'): pass", Context::annotation, "x"},
                    Case{"def f() -> 'cuda': pass", Context::annotation},
                    Case{"x: Literal['cuda', 'cpu'] = y", Context::annotation, "", -1, "Literal"},
                    Case{"def f(x: Literal['cuda'] = 1): pass", Context::annotation, "", -1, "Literal"}));

INSTANTIATE_TEST_SUITE_P(Comparisons, StringPlace,
                         testing::Values(Case{"x.device.type == 'cuda'", Context::compared, "", -1, "?.device.type"},
                                         Case{"'cuda' == d.type", Context::compared, "", -1, "?.type"},
                                         Case{"'cuda' in str(d)", Context::compared, "", -1, "str"},
                                         Case{"'cuda' not in d.x", Context::compared, "", -1, "?.x"},
                                         Case{"d.get() is not 'cuda'", Context::compared, "", -1, "?.get"},
                                         Case{"if a and d == 'cuda': pass", Context::compared, "", -1, "d"},
                                         Case{"x = a if d != 'cuda' else b", Context::compared, "", -1, "d"},
                                         Case{"d <> 'cuda'", Context::compared, "", -1, "d"},
                                         Case{"t.type() in ['cuda', 'cpu']", Context::element, "", -1, "?.type"}));

INSTANTIATE_TEST_SUITE_P(Collections, StringPlace,
                         testing::Values(Case{"x = ['cuda', 1]", Context::element, "x"},
                                         Case{"x = 1, 'cuda'", Context::element}, Case{"x = {'cuda': 1}", Context::key},
                                         Case{"x = {'a': 'cuda'}", Context::value, "a"},
                                         Case{"x = {a.b: 'cuda'}", Context::value, "a.b"},
                                         Case{"x = {'cuda', 'cpu'}", Context::element, "x"},
                                         Case{"x = {k: 'cuda' for k in y}", Context::value, "k"},
                                         Case{"x = y['cuda']", Context::subscript, "", -1, "y"},
                                         Case{"x = y['a':'cuda']", Context::other},
                                         Case{"p.add_argument('--d', choices=['cuda', 'cpu'])", Context::element,
                                              "choices", -1, "?.add_argument"}));

INSTANTIATE_TEST_SUITE_P(
    Others, StringPlace,
    testing::Values(
        Case{"return 'cuda'", Context::returned}, Case{"x = 'cuda'.upper()", Context::object, "x"},
        Case{"x = 'cuda'[0]", Context::subscripted}, Case{"x = a + 'cuda'", Context::operand, "x"},
        Case{"x = d or 'cuda'", Context::operand, "x"}, Case{"x.to('cuda' + b)", Context::operand, "", -1, "?.to"},
        Case{"x = f'{\"a\" + 'cuda'}'", Context::operand, "x"}, Case{"x = f'{'cuda'}'", Context::interpolated, "x"},
        Case{"match x:\n  case 'cuda': pass", Context::pattern},
        Case{"match x:\n  case 'hip' | 'cuda': pass", Context::pattern},
        Case{"match x:\n  case {'a': 'cuda'}: pass", Context::value, "a"},
        Case{"match x:\n  case A('cuda'): pass", Context::pattern}, Case{"match = {'a': 'cuda'}", Context::value, "a"},
        Case{"assert x, 'cuda'", Context::other}, Case{"raise 'cuda'", Context::other},
        Case{"del x['cuda']", Context::subscript, "", -1, "x"}, Case{"if 'cuda': pass", Context::condition}));

class ChainPlace : public testing::TestWithParam<Case> {};
TEST_P(ChainPlace, IsFound) { expect_place(GetParam(), "t.cuda"); }

INSTANTIATE_TEST_SUITE_P(
    All, ChainPlace,
    testing::Values(Case{"t.cuda()", Context::statement}, Case{"x = t.cuda()", Context::assigned, "x"},
                    Case{"f(t.cuda())", Context::argument, "", 0, "f"},
                    Case{"f(a=t.cuda(1))", Context::keyword, "a", -1, "f"}, Case{"t.cuda().half()", Context::called},
                    Case{"t.cuda()[0]", Context::called}, Case{"if t.cuda(): pass", Context::condition},
                    Case{"while t.cuda(): pass", Context::condition},
                    Case{"elif_ = 1 if t.cuda() else 2", Context::condition},
                    Case{"assert t.cuda()", Context::condition}, Case{"if not t.cuda(): pass", Context::operand},
                    Case{"x = [y for y in z if t.cuda()]", Context::condition}, Case{"t.cuda = 1", Context::target},
                    Case{"t.cuda, y = z", Context::target}, Case{"(t.cuda, y) = z", Context::target},
                    Case{"for t.cuda in z: pass", Context::target}, Case{"with a as t.cuda: pass", Context::target},
                    Case{"t.cuda: int = 1", Context::target}, Case{"@t.cuda\ndef f(): pass", Context::decorator},
                    Case{"@t.cuda()\ndef f(): pass", Context::decorator}, Case{"x = t.cuda > 1", Context::compared},
                    Case{"return t.cuda()", Context::returned},
                    Case{"def f(x: t.cuda): pass", Context::annotation, "x"},
                    Case{"x = t.cuda[0]", Context::subscripted}, Case{"with t.cuda(): pass", Context::other},
                    Case{"await t.cuda()", Context::other}, Case{"for x in t.cuda(): pass", Context::other}));

TEST(PythonPlace, NamesAndDefinitions) {
  const PythonSnippet snippet("def cuda_a(cuda_b, *cuda_c, **cuda_d):\n  f(cuda_e=1)\nclass cuda_F: pass\n");
  EXPECT_EQ(snippet.site("cuda_a").context, Context::definition);
  EXPECT_EQ(snippet.site("cuda_b").context, Context::parameter);
  EXPECT_EQ(snippet.site("cuda_e").context, Context::keyword_name);
  EXPECT_EQ(snippet.site("cuda_e").value, "1");
  EXPECT_EQ(snippet.site("cuda_F").context, Context::definition);
}

TEST(PythonPlace, DepthDoesNotMatter) {
  std::string source = "x = ";
  for (int i = 0; i < 50000; ++i) source += "(";
  source += "'cuda'" + std::string(50000, ')') + "\n";
  EXPECT_TRUE(PythonSnippet(source).has("'cuda'"));
}

}  // namespace
}  // namespace accelport
