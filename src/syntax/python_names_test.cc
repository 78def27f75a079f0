#include "syntax/python_names.h"

#include <gtest/gtest.h>

#include "syntax/python_testing.h"

namespace accelport {
namespace {

std::string api(const std::string& source, std::string_view text, int nth = 0) {
  const PythonSnippet snippet(source);
  EXPECT_TRUE(snippet.has(text)) << source;
  return snippet.site(text, nth).api;
}

TEST(PythonNames, ImportsAndAliases) {
  EXPECT_EQ(api("import torch\ntorch.cuda.x()", "torch.cuda.x"), "torch.cuda.x");
  EXPECT_EQ(api("import torch as th\nth.cuda.x()", "th.cuda.x"), "torch.cuda.x");
  EXPECT_EQ(api("import torch.cuda as tc\ntc.x()", "tc.x"), "torch.cuda.x");
  EXPECT_EQ(api("from torch import cuda\ncuda.x()", "cuda.x"), "torch.cuda.x");
  EXPECT_EQ(api("from torch import cuda as c\nc.x()", "c.x"), "torch.cuda.x");
  EXPECT_EQ(api("from torch.cuda.amp import (autocast,\n GradScaler as GS)\nGS()", "GS"), "torch.cuda.amp.GradScaler");
  EXPECT_EQ(api("import torch.cuda\ntorch.cuda.x()", "torch.cuda.x"), "torch.cuda.x");
  EXPECT_EQ(api("try: import torch.cuda as t\nexcept: pass\nt.x()", "t.x"), "torch.cuda.x");
}

TEST(PythonNames, ImportStatements) {
  const PythonSnippet snippet(
      "from torch.cuda.amp import autocast, GradScaler as G\nimport torch.cuda as tc\nfrom torch import cuda\n");
  const Site& module = snippet.site("torch.cuda.amp");
  EXPECT_EQ(module.context, Context::import_module);
  EXPECT_EQ(module.api, "torch.cuda.amp");
  EXPECT_EQ(module.keywords, (std::vector<std::string_view>{"autocast", "GradScaler"}));
  EXPECT_EQ(snippet.site("torch.cuda").context, Context::import_module);
  EXPECT_EQ(snippet.site("cuda").context, Context::import_name);
  EXPECT_EQ(snippet.site("cuda").api, "torch.cuda");
}

TEST(PythonNames, UsesOfBoundNamesWithoutAHit) {
  const PythonSnippet snippet(
      "from torch.cuda import synchronize, Stream as S\nimport torch.backends.cudnn as cd\nfrom torch import nn\n"
      "synchronize()\ns = S()\ncd.benchmark = True\nnn.Linear(1)\nx.synchronize()\nf(synchronize=1)\n");
  EXPECT_EQ(snippet.site("synchronize").api, "torch.cuda.synchronize");
  EXPECT_EQ(snippet.site("S").api, "torch.cuda.Stream");
  EXPECT_EQ(snippet.site("cd.benchmark").api, "torch.backends.cudnn.benchmark");
  EXPECT_EQ(snippet.site("cd.benchmark").context, Context::target);
  EXPECT_FALSE(snippet.has("nn.Linear"));
  EXPECT_FALSE(snippet.has("x.synchronize"));
  EXPECT_FALSE(snippet.has("synchronize=1"));
}

TEST(PythonNames, ModulesUnderOtherNames) {
  EXPECT_EQ(api("import torch\nc = torch.cuda\nc.x()", "c.x"), "torch.cuda.x");
  EXPECT_EQ(api("import torch\nsync = torch.cuda.synchronize\nsync()", "sync"), "torch.cuda.synchronize");
  EXPECT_EQ(api("import torch\na = torch\nb = a.cuda\nb.x()", "b.x"), "torch.cuda.x");
  EXPECT_EQ(api("import importlib\nm = importlib.import_module('torch.cuda')\nm.cuda_x()", "m.cuda_x"),
            "torch.cuda.cuda_x");
  EXPECT_EQ(api("import torch\nm = getattr(torch, 'cuda')\nm.nccl()", "m.nccl"), "torch.cuda.nccl");
}

TEST(PythonNames, AliasesOfAliasesEnd) {
  std::string source = "import torch\na0 = torch.cuda\n";
  for (int i = 0; i < 3000; ++i) source += "a" + std::to_string(i + 1) + " = a" + std::to_string(i) + "\n";
  source += "a3000.cuda()\n";
  EXPECT_TRUE(PythonSnippet(source).has("a3000.cuda"));
  EXPECT_EQ(api("a = b\nb = a\na.cuda()", "a.cuda"), "?.cuda");
}

TEST(PythonNames, OwnModules) {
  EXPECT_EQ(api("from mypkg.cuda import CudaTimer\nCudaTimer.start()", "CudaTimer.start"),
            "own.mypkg.cuda.CudaTimer.start");
  EXPECT_EQ(api("from . import cuda\ncuda.start()", "cuda.start"), "own.cuda.start");
  EXPECT_EQ(api("from .cuda import x\n", "cuda"), "own.cuda");
  EXPECT_EQ(api("from ...utils.cuda import x\n", "utils.cuda"), "own.utils.cuda");
  EXPECT_EQ(api("from mypkg import cuda\ncuda()", "cuda", 1), "own.mypkg.cuda");
  EXPECT_FALSE(PythonSnippet("from .cuda import timer\ntimer()").has("timer"));
}

TEST(PythonNames, OtherLibrariesOwnTheWord) {
  EXPECT_EQ(api("from numba import cuda\n@cuda.jit\ndef k(a): pass", "cuda.jit"), "numba.cuda.jit");
  EXPECT_EQ(api("import pycuda.driver as cuda\ncuda.mem()", "cuda.mem"), "pycuda.driver.mem");
}

TEST(PythonNames, ParametersAndLocalsShadow) {
  const std::string head = "from torch import cuda\n";
  EXPECT_EQ(api(head + "def f(cuda):\n  cuda.x()\n", "cuda.x"), "own.cuda.x");
  EXPECT_EQ(api(head + "def f():\n  cuda = g()\n  cuda.x()\n", "cuda.x"), "own.cuda.x");
  EXPECT_EQ(api(head + "def f():\n  cuda.x()\n", "cuda.x"), "torch.cuda.x");
  EXPECT_EQ(api(head + "def f(cuda): pass\ncuda.x()\n", "cuda.x"), "torch.cuda.x");
  EXPECT_EQ(api(head + "g = lambda cuda: cuda.x()\n", "cuda.x"), "own.cuda.x");
  EXPECT_EQ(api(head + "g = lambda cuda: 1\ncuda.x()\n", "cuda.x"), "torch.cuda.x");
  EXPECT_EQ(api(head + "a = [cuda.x() for cuda in b]\n", "cuda.x"), "own.cuda.x");
  EXPECT_EQ(api(head + "a = [1 for cuda in b]\ncuda.x()\n", "cuda.x"), "torch.cuda.x");
  EXPECT_EQ(api(head + "class A:\n  cuda = 1\n  def f(self):\n    cuda.x()\n", "cuda.x"), "torch.cuda.x");
  EXPECT_EQ(api(head + "for cuda in y: pass\ncuda.x()\n", "cuda.x"), "own.cuda.x");
  EXPECT_EQ(api(head + "with y as cuda:\n  cuda.x()\n", "cuda.x"), "own.cuda.x");
}

TEST(PythonNames, HandlersDoNotShadow) {
  EXPECT_EQ(api("try:\n  import cupy\nexcept ImportError:\n  cupy = None\ncupy.x()\n", "cupy.x"), "cupy.x");
  EXPECT_EQ(
      api("try:\n  from torch.cuda.amp import autocast\nexcept ImportError:\n  def autocast(): pass\nautocast()\n",
          "autocast"),
      "torch.cuda.amp.autocast");
  EXPECT_EQ(api("try:\n  from torch.cuda import amp\nexcept ImportError:\n  from mypkg import amp\namp.x()\n", "amp.x"),
            "torch.cuda.amp.x");
}

TEST(PythonNames, OrdinaryValues) {
  EXPECT_EQ(api("def f(x):\n  x.cuda()", "x.cuda"), "?.cuda");
  EXPECT_EQ(api("f(x)[0].cuda()", "cuda"), "?.cuda");
  EXPECT_EQ(api("model = A()\nmodel.net.cuda()", "model.net.cuda"), "?.net.cuda");
  EXPECT_EQ(api("cuda_model = A()\ncuda_model.cuda()", "cuda_model.cuda"), "?.cuda");
  EXPECT_EQ(api("cuda_model = A()\ncuda_model.run()", "cuda_model.run"), "own.cuda_model.run");
  EXPECT_EQ(api("use_cuda = True\nif use_cuda: pass", "use_cuda", 1), "own.use_cuda");
  EXPECT_EQ(api("model.cuda()", "model.cuda"), "?.cuda");
}

TEST(PythonNames, OwnClassesAndFunctions) {
  EXPECT_EQ(api("class CudaTimer: pass\nCudaTimer.go()", "CudaTimer.go"), "own.CudaTimer.go");
  EXPECT_EQ(api("def move_to_cuda(x): pass\nmove_to_cuda(1)", "move_to_cuda", 1), "own.move_to_cuda");
  EXPECT_EQ(api("class A:\n  def cuda(self): pass\n  def f(self): self.cuda()\n", "self.cuda"), "own.A.cuda");
  EXPECT_EQ(api("class A(M):\n  def f(self): self.cuda()\n", "self.cuda"), "?.cuda");
  EXPECT_EQ(api("class A:\n  def cuda(self): pass\n", "cuda"), "own.A.cuda");
}

TEST(PythonNames, Conventions) {
  const PythonSnippet snippet("torch.cuda.synchronize()\n");
  EXPECT_EQ(snippet.site("torch.cuda.synchronize").api, "torch.cuda.synchronize");
  EXPECT_FALSE(snippet.site("torch.cuda.synchronize").certain_name);
  EXPECT_TRUE(PythonSnippet("import torch\ntorch.cuda.x()").site("torch.cuda.x").certain_name);
  EXPECT_EQ(api("ProfilerActivity.CUDA", "ProfilerActivity.CUDA"), "ProfilerActivity.CUDA");
}

TEST(PythonNames, StarImports) {
  const PythonSnippet snippet("from torch.cuda import *\nsynchronize()\nhelper()\n");
  EXPECT_EQ(snippet.site("synchronize").api, "torch.cuda.synchronize");
  EXPECT_FALSE(snippet.site("synchronize").certain_name);
  EXPECT_FALSE(snippet.has("helper"));
}

TEST(PythonNames, FunctionsAndClassesAround) {
  const PythonSnippet snippet(
      "class A:\n  x = cuda_1\n  def f(self, cuda_2):\n    def g(): return cuda_3\ncuda_4 = 1\n");
  EXPECT_EQ(snippet.site("cuda_1").class_name, "A");
  EXPECT_EQ(snippet.site("cuda_1").function, "");
  EXPECT_EQ(snippet.site("cuda_2").function, "f");
  EXPECT_EQ(snippet.site("cuda_3").function, "g");
  EXPECT_EQ(snippet.site("cuda_3").class_name, "A");
  EXPECT_EQ(snippet.site("cuda_4").class_name, "");
}

}  // namespace
}  // namespace accelport
