#include "syntax/python_guards.h"

#include <gtest/gtest.h>

#include "syntax/python_testing.h"

namespace accelport {
namespace {

constexpr Guard kAvailability = Guard::available | Guard::unavailable;

Guard guards(const std::string& source, std::string_view text, int nth = 0) {
  const PythonSnippet snippet("import torch\n" + source);
  EXPECT_TRUE(snippet.has(text)) << source;
  return snippet.site(text, nth).guards;
}

TEST(PythonGuards, BranchesOfAnAvailabilityTest) {
  const std::string source = "if torch.cuda.is_available():\n  x.cuda()\nelse:\n  y.cuda()\nz.cuda()\n";
  EXPECT_EQ(guards(source, "x.cuda"), Guard::available);
  EXPECT_EQ(guards(source, "y.cuda"), Guard::unavailable);
  EXPECT_EQ(guards(source, "z.cuda"), Guard::none);
  EXPECT_EQ(guards(source, "torch.cuda.is_available"), Guard::none);
}

TEST(PythonGuards, OneLineBlocks) {
  EXPECT_EQ(guards("if torch.cuda.is_available(): x.cuda()\ny.cuda()", "x.cuda"), Guard::available);
  EXPECT_EQ(guards("if torch.cuda.is_available(): x.cuda()\ny.cuda()", "y.cuda"), Guard::none);
}

TEST(PythonGuards, NegationAndConnectives) {
  EXPECT_EQ(guards("if not torch.cuda.is_available():\n  x.cuda()", "x.cuda"), Guard::unavailable);
  EXPECT_EQ(guards("if a and torch.cuda.is_available():\n  x.cuda()", "x.cuda"), Guard::available);
  EXPECT_EQ(guards("if a or torch.cuda.is_available():\n  x.cuda()", "x.cuda"), Guard::none);
  EXPECT_EQ(guards("if not (a or not torch.cuda.is_available()):\n  x.cuda()", "x.cuda"), Guard::available);
  EXPECT_EQ(guards("if a or not torch.cuda.is_available(): pass\nelse:\n  x.cuda()", "x.cuda"), Guard::available);
  EXPECT_EQ(guards("if torch.cuda.device_count() > 1:\n  x.cuda()", "x.cuda"), Guard::available);
  EXPECT_EQ(guards("if torch.cuda.device_count() == 0:\n  x.cuda()", "x.cuda"), Guard::unavailable);
}

TEST(PythonGuards, ConditionalExpressions) {
  EXPECT_EQ(guards("d = 'cuda' if torch.cuda.is_available() else 'cpu'", "'cuda'"), Guard::available);
  EXPECT_EQ(guards("d = 'cpu' if not torch.cuda.is_available() else 'cuda'", "'cuda'"), Guard::available);
  EXPECT_EQ(guards("d = torch.device('cuda' if torch.cuda.is_available() else 'cpu')", "'cuda'"), Guard::available);
  EXPECT_EQ(guards("d = 'cpu' if args.cpu or not torch.cuda.is_available() else 'cuda'", "'cuda'"),
            Guard::available | Guard::option);
  EXPECT_EQ(guards("d = f(1, g('cuda')) if torch.cuda.is_available() else 'cpu'", "'cuda'"), Guard::available);
  EXPECT_EQ(guards("n = torch.cuda.is_available() and x.cuda()", "x.cuda"), Guard::available);
  EXPECT_EQ(guards("n = not torch.cuda.is_available() or x.cuda()", "x.cuda"), Guard::available);
}

TEST(PythonGuards, EarlyExits) {
  for (const char* exit : {"raise X()", "return", "sys.exit(1)", "pytest.skip('x')", "self.skipTest('x')"}) {
    const std::string source =
        "def f():\n  if not torch.cuda.is_available():\n    " + std::string(exit) + "\n  x.cuda()\ny.cuda()\n";
    EXPECT_EQ(guards(source, "x.cuda"), Guard::available) << exit;
    EXPECT_EQ(guards(source, "y.cuda"), Guard::none) << exit;
  }
  EXPECT_EQ(guards("def f():\n  if not torch.cuda.is_available(): return\n  x.cuda()\n", "x.cuda"), Guard::available);
  EXPECT_EQ(guards("def f():\n  if not torch.cuda.is_available():\n    print(1)\n  x.cuda()\n", "x.cuda"), Guard::none);
  EXPECT_EQ(guards("assert torch.cuda.is_available(), 'no'\nx.cuda()\n", "x.cuda"), Guard::available);
  EXPECT_EQ(guards("if torch.cuda.is_available():\n  a()\nelse:\n  raise X\nx.cuda()", "x.cuda"), Guard::available);
}

TEST(PythonGuards, DeviceTypes) {
  EXPECT_EQ(guards("if x.device.type == 'cuda':\n  y.cuda()", "y.cuda"), Guard::device_type);
  EXPECT_EQ(guards("if x.device.type != 'cuda':\n  y.cuda()", "y.cuda"), Guard::not_device_type);
  EXPECT_EQ(guards("if 'cuda' in str(d):\n  y.cuda()", "y.cuda"), Guard::device_type);
  EXPECT_EQ(guards("if d.startswith('cuda'):\n  y.cuda()", "y.cuda"), Guard::device_type);
  EXPECT_EQ(guards("if x.is_cuda:\n  y.cuda()\nelse:\n  z.cuda()", "z.cuda"), Guard::not_device_type);
  EXPECT_EQ(guards("if x.device == torch.device('cuda'):\n  y.cuda()", "y.cuda"), Guard::device_type);
}

TEST(PythonGuards, NvidiaInParticular) {
  EXPECT_EQ(guards("if torch.version.cuda:\n  x.cuda()", "x.cuda"), Guard::nvidia);
  EXPECT_EQ(guards("if torch.version.cuda is not None:\n  x.cuda()", "x.cuda"), Guard::nvidia);
  EXPECT_EQ(guards("if torch.version.hip is None:\n  x.cuda()", "x.cuda"), Guard::nvidia);
  EXPECT_EQ(guards("if torch.version.hip:\n  x.cuda()", "x.cuda"), Guard::other_platform);
  EXPECT_TRUE(has(guards("if torch.cuda.get_device_capability()[0] >= 8:\n  x.cuda()", "x.cuda"), Guard::nvidia));
  EXPECT_TRUE(has(guards("if is_hopper():\n  x.cuda()", "x.cuda"), Guard::nvidia));
  EXPECT_TRUE(has(guards("if 'h100' in torch.cuda.get_device_name(0).lower():\n  x.cuda()", "x.cuda"), Guard::nvidia));
}

TEST(PythonGuards, Families) {
  const std::string chain =
      "if torch.cuda.is_available():\n  x.cuda()\nelif torch.xpu.is_available():\n  y.cuda()\nelse:\n  z.cuda()\n";
  EXPECT_EQ(guards(chain, "x.cuda"), Guard::available | Guard::family);
  EXPECT_TRUE(has(guards(chain, "y.cuda"), Guard::other_platform));
  EXPECT_TRUE(has(guards(chain, "z.cuda"), Guard::family));
  EXPECT_EQ(guards(chain, "torch.cuda.is_available"), Guard::family);
  EXPECT_TRUE(
      has(guards("d = 'mps' if torch.backends.mps.is_available() else 'cuda' if torch.cuda.is_available() else 'cpu'",
                 "'cuda'"),
          Guard::family));
  EXPECT_TRUE(
      has(guards("d = 'mps' if torch.backends.mps.is_available() else ('cuda' if torch.cuda.is_available() else 'cpu')",
                 "'cuda'"),
          Guard::family));
  EXPECT_TRUE(has(guards("def f():\n  if torch.cuda.is_available():\n    return 'cuda'\n  if "
                         "torch.backends.mps.is_available():\n    return 'mps'\n",
                         "'cuda'"),
                  Guard::family));
  EXPECT_FALSE(has(guards("if torch.cuda.is_available():\n  x.cuda()\nelse:\n  y()\n", "x.cuda"), Guard::family));
  EXPECT_TRUE(has(guards("match d:\n  case 'cuda':\n    x.cuda()\n  case 'xpu':\n    y()\n", "x.cuda"),
                  Guard::family | Guard::device_type));
}

TEST(PythonGuards, Imports) {
  EXPECT_EQ(guards("try:\n  import cupy\nexcept ImportError:\n  import apex\n", "cupy"), Guard::import_guard);
  EXPECT_EQ(guards("try:\n  import cupy\nexcept ImportError:\n  import apex\n", "apex"), Guard::handler);
  EXPECT_EQ(guards("try:\n  import cupy\nexcept (ValueError, ModuleNotFoundError):\n  pass\n", "cupy"),
            Guard::import_guard);
  EXPECT_EQ(guards("try:\n  import cupy\nexcept KeyError:\n  pass\n", "cupy"), Guard::none);
  EXPECT_EQ(guards("try:\n  import cupy\nexcept:\n  pass\n", "cupy"), Guard::import_guard);
  EXPECT_EQ(guards("if is_apex_available():\n  import cupy\n", "cupy"), Guard::import_guard);
  EXPECT_EQ(guards("if HAS_FLASH:\n  import cupy\n", "cupy"), Guard::import_guard);
}

TEST(PythonGuards, OtherConditions) {
  EXPECT_EQ(guards("if args.fp16:\n  import apex\n", "apex"), Guard::option);
  EXPECT_EQ(guards("if os.environ.get('A'):\n  import apex\n", "apex"), Guard::option);
  EXPECT_EQ(guards("if backend == 'nccl':\n  x.cuda()\n", "x.cuda"), Guard::backend_name);
  EXPECT_EQ(guards("if rank == 0:\n  x.cuda()\n", "x.cuda"), Guard::rank);
  EXPECT_EQ(guards("if __name__ == '__main__':\n  x.cuda()\n", "x.cuda"), Guard::main_guard);
  EXPECT_EQ(guards("for i in x:\n  x.cuda()\n", "x.cuda"), Guard::loop);
  EXPECT_EQ(guards("try: pass\nfinally:\n  x.cuda()\n", "x.cuda"), Guard::finally_block);
  EXPECT_EQ(guards("if TYPE_CHECKING:\n  import apex\n", "apex"), Guard::type_checking);
  EXPECT_EQ(guards("if version.parse(torch.__version__) >= v:\n  x.cuda()\n", "x.cuda"), Guard::torch_version);
}

TEST(PythonGuards, Skips) {
  const std::string test = "def test_a():\n  x.cuda()\n";
  for (const char* mark :
       {"@pytest.mark.skipif(not torch.cuda.is_available(), reason='no CUDA')", "@require_cuda",
        "@unittest.skipUnless(torch.cuda.is_available(), 'x')", "@pytest.mark.gpu", "@requires_gpu(2)"}) {
    EXPECT_EQ(guards(std::string(mark) + "\n" + test, "x.cuda"), Guard::test_skip) << mark;
  }
  EXPECT_EQ(guards("@cached\n" + test, "x.cuda"), Guard::none);
  EXPECT_EQ(guards("pytestmark = pytest.mark.skipif(not torch.cuda.is_available())\n" + test, "x.cuda"),
            Guard::test_skip);
  EXPECT_EQ(guards("@require_cuda\nclass A:\n  def f(self):\n    x.cuda()\n", "x.cuda"), Guard::test_skip);
}

TEST(PythonGuards, FlagsByName) {
  EXPECT_TRUE(has(guards("if use_cuda:\n  x.cuda()", "x.cuda"), Guard::available));
  EXPECT_TRUE(has(guards("if not args.no_cuda:\n  x.cuda()", "x.cuda"), Guard::available));
  EXPECT_TRUE(has(guards("if args.cuda:\n  x.cuda()", "x.cuda"), Guard::available | Guard::option));
}

TEST(PythonGuards, FunctionsDropWhatHoldsOnlyWhenTheyAreDefined) {
  EXPECT_EQ(guards("for i in a:\n  def f():\n    x.cuda()\n", "x.cuda"), Guard::none);
  EXPECT_FALSE(has(guards("def f():\n  x.cuda()\n", "x.cuda"), kAvailability));
}

}  // namespace
}  // namespace accelport
