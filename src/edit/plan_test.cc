#include "edit/plan.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "audit/run.h"
#include "catalog/helper_table.h"

namespace accelport {
namespace {

class NoProcesses : public Processes {
 public:
  Result<ProcessResult> run(const ProcessRequest&) const override {
    return fail(Error::Kind::system, "no programs here");
  }
};

class PlanTest : public testing::Test {
 protected:
  static const Catalog& catalog() {
    static const Catalog loaded = load_catalog(embedded_data()).value();
    return loaded;
  }

  Plan plan(std::vector<std::string> only = {}, int jobs = 1) const {
    AuditOptions audit_options;
    audit_options.roots = {"."};
    audit_options.keep_paths = true;
    const auto audit = run_audit(catalog(), audit_options, files_, NoProcesses());
    EXPECT_TRUE(audit);
    PlanOptions options;
    options.root = ".";
    options.platforms = audit->platforms;
    options.only = std::move(only);
    options.jobs = jobs;
    auto plan = plan_port(*audit, catalog(), options, files_);
    EXPECT_TRUE(plan) << to_string(plan.error());
    return plan ? std::move(*plan) : Plan{};
  }

  std::string after(const Plan& plan, const std::string& path) const {
    for (const FileChange& change : plan.changes)
      if (change.path == path) return change.after;
    return "unchanged";
  }

  static std::string reason(const Plan& plan, const std::string& text) {
    for (const Unchanged& u : plan.unchanged)
      if (u.text == text) return u.reason;
    return "none";
  }

  static bool has(const Plan& plan, const std::string& path) {
    return std::any_of(plan.changes.begin(), plan.changes.end(), [&](const auto& c) { return c.path == path; });
  }

  void expect_finished(const Plan& plan) {
    for (const FileChange& change : plan.changes) files_.put(change.path, change.after);
    const Plan again = this->plan();
    for (const FileChange& change : again.changes) ADD_FAILURE() << change.path << "\n" << change.after;
  }

  MemoryFiles files_;
};

std::string utf16(std::string_view text, bool little) {
  std::string out = little ? "\xFF\xFE" : "\xFE\xFF";
  for (const char c : text) {
    out += little ? c : '\0';
    out += little ? '\0' : c;
  }
  return out;
}

constexpr const char* kBefore = "import torch\nx = x.to('cuda')\n";
constexpr const char* kAfter = "import torch\nimport accelerator\nx = x.to(accelerator.accelerator_type())\n";

TEST_F(PlanTest, MarkInFrontOfTheTextStays) {
  files_.put("a.py", std::string("\xEF\xBB\xBF") + kBefore);
  EXPECT_EQ(after(plan(), "a.py"), std::string("\xEF\xBB\xBF") + kAfter);
}

TEST_F(PlanTest, WideCharactersStayWide) {
  for (const bool little : {true, false}) {
    files_.put("a.py", utf16(kBefore, little));
    EXPECT_EQ(after(plan(), "a.py"), utf16(kAfter, little));
  }
}

TEST_F(PlanTest, OtherBytesStayAsTheyAre) {
  const std::string gbk = "# coding: gbk\n# \xC4\xE3\xBA\xC3\nimport torch\nname = '\xB4\x5C'\nx.cuda()\n";
  files_.put("a.py", gbk);
  EXPECT_EQ(after(plan(), "a.py"),
            "# coding: gbk\n# \xC4\xE3\xBA\xC3\nimport torch\nimport accelerator\nname = '\xB4\x5C'\n"
            "x.to(accelerator.accelerator_device())\n");
  files_.put("a.py", "# caf\xE9\nimport torch\nx.cuda()\n");
  EXPECT_EQ(after(plan(), "a.py"),
            "# caf\xE9\nimport torch\nimport accelerator\nx.to(accelerator.accelerator_device())\n");
}

TEST_F(PlanTest, NotebookKeepsItsForm) {
  files_.put("a.ipynb", R"nb({"cells": [
  {"cell_type": "markdown", "source": ["use cuda"]},
  {"cell_type": "code", "metadata": {}, "outputs": [], "source": [
    "%matplotlib inline\n",
    "import torch\n",
    "name = \"caf\u00e9\"\n",
    "x = x.to(\"cuda:0\")"
   ]},
  {"cell_type": "code", "metadata": {}, "outputs": [], "source": "y = x.cuda()\nz = \"cuda\" if y.is_cuda else \"cpu\""}
 ], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}
)nb");
  const Plan made = plan();
  EXPECT_EQ(after(made, "a.ipynb"), R"nb({"cells": [
  {"cell_type": "markdown", "source": ["use cuda"]},
  {"cell_type": "code", "metadata": {}, "outputs": [], "source": [
    "%matplotlib inline\n",
    "import torch\n",
    "import accelerator\n",
    "name = \"caf\u00e9\"\n",
    "x = x.to(f\"{accelerator.accelerator_type()}:0\")"
   ]},
  {"cell_type": "code", "metadata": {}, "outputs": [], "source": "y = x.to(accelerator.accelerator_device())\nz = accelerator.accelerator_type() if accelerator.is_accelerator(y) else \"cpu\""}
 ], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}
)nb");
  expect_finished(made);
}

TEST_F(PlanTest, ProgramInAPackageThatNobodyInstalls) {
  files_.put("setup.py", "from setuptools import setup\nsetup(name='pkg')\n");
  files_.put("pkg/__init__.py", "from . import a\n");
  files_.put("pkg/a.py", "x.cuda()\n");
  files_.put("examples/__init__.py", "");
  files_.put("examples/asr/__init__.py", "");
  files_.put("examples/asr/run.py", "from pkg import a\nx.cuda()\n");
  files_.put("examples/asr/model.py", "from pkg import a\nfrom examples.asr import run\nx.cuda()\n");
  files_.put("examples/text/lm/eval/__init__.py", "");
  files_.put("examples/text/lm/eval/run.py", "from pkg import a\nx.cuda()\n");
  const Plan made = plan();
  const std::string own = "from pkg import a\nfrom pkg import accelerator\nx.to(accelerator.accelerator_device())\n";
  EXPECT_EQ(after(made, "examples/asr/run.py"), own);
  EXPECT_EQ(after(made, "examples/text/lm/eval/run.py"), own);
  EXPECT_EQ(after(made, "examples/asr/model.py"),
            "from pkg import a\nfrom examples.asr import run\nfrom examples import accelerator\n"
            "x.to(accelerator.accelerator_device())\n");
  expect_finished(made);
}

TEST_F(PlanTest, DistributedPackageKeepsTheHelperInside) {
  files_.put("setup.py", "from setuptools import setup\nsetup(name='pkg')\n");
  files_.put("pkg/__init__.py", "");
  files_.put("pkg/a.py", "from . import b\nx.cuda()\n");
  files_.put("pkg/sub/__init__.py", "");
  files_.put("pkg/sub/c.py", "from ..b import thing\nx.cuda()\n");
  files_.put("pkg/sub/d.py", "from pkg.b import thing\nx.cuda()\n");
  files_.put("tools/run.py", "import pkg\nx.cuda()\n");
  files_.put("tests/test_a.py", "import torch\ntorch.cuda.synchronize()\n");
  const Plan made = plan();
  EXPECT_EQ(after(made, "pkg/a.py"),
            "from . import b\nfrom . import accelerator\nx.to(accelerator.accelerator_device())\n");
  EXPECT_NE(after(made, "pkg/sub/c.py").find("\nfrom .. import accelerator\n"), std::string::npos);
  EXPECT_NE(after(made, "pkg/sub/d.py").find("\nfrom pkg import accelerator\n"), std::string::npos);
  EXPECT_NE(after(made, "tools/run.py").find("\nfrom pkg import accelerator\n"), std::string::npos);
  EXPECT_NE(after(made, "tests/test_a.py").find("\nfrom pkg import accelerator\n"), std::string::npos);
  EXPECT_TRUE(has(made, "pkg/accelerator.py"));
  EXPECT_EQ(std::count_if(made.changes.begin(), made.changes.end(), [](const auto& c) { return c.created; }), 1);
  expect_finished(made);
}

TEST_F(PlanTest, VisibilityDoesNotWaitForAPackage) {
  files_.put("setup.py", "from setuptools import setup\nsetup(name='pkg')\n");
  files_.put("pkg/__init__.py", "import torch\n");
  files_.put("pkg/a.py", "x.cuda()\n");
  files_.put("run.py", "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\nimport torch\nimport pkg\nx.cuda()\n");
  const Plan made = plan();
  EXPECT_NE(reason(made, "'CUDA_VISIBLE_DEVICES'").find("before torch is imported"), std::string::npos);
  EXPECT_NE(after(made, "run.py").find("import pkg\nfrom pkg import accelerator\n"), std::string::npos);
}

TEST_F(PlanTest, ProgramsTakeTheHelperFromTheirFolder) {
  files_.put("one/train.py", "from utils.data import load\nx.cuda()\n");
  files_.put("one/utils/data.py", "import torch\ntorch.cuda.synchronize()\n");
  files_.put("two/main.py", "import torch\ntorch.cuda.empty_cache()\n");
  const Plan made = plan();
  EXPECT_TRUE(has(made, "one/accelerator.py"));
  EXPECT_TRUE(has(made, "two/accelerator.py"));
  EXPECT_FALSE(has(made, "one/utils/accelerator.py"));
  EXPECT_EQ(after(made, "one/accelerator.py"), after(made, "two/accelerator.py"));
  expect_finished(made);
}

TEST_F(PlanTest, NameThatIsTakenGivesWayForTheWholeFolder) {
  files_.put("accelerator.py", "def speed(): pass\n");
  files_.put("train.py", "import torch\nx.cuda()\n");
  EXPECT_NE(after(plan(), "train.py").find("import accelport_device\n"), std::string::npos);
  files_.put("accelport_device.py", "pass\n");
  EXPECT_EQ(reason(plan(), "x.cuda"), "every name that the helper module could have is taken");
}

TEST_F(PlanTest, HelperIsExtendedAndOneChangedByHandIsKept) {
  files_.put("a.py", "import torch\nx.cuda()\n");
  for (const FileChange& change : plan().changes) files_.put(change.path, change.after);
  files_.put("b.py", "import torch\ntorch.cuda.synchronize()\n");
  const Plan second = plan();
  ASSERT_TRUE(has(second, "accelerator.py"));
  const std::string extended = after(second, "accelerator.py");
  EXPECT_NE(extended.find("def synchronize("), std::string::npos);
  EXPECT_NE(extended.find("def accelerator_device("), std::string::npos);
  std::string by_hand = files_.contents().at("accelerator.py") + "\n# ours\n";
  files_.put("accelerator.py", by_hand);
  const Plan third = plan();
  EXPECT_TRUE(third.empty());
  EXPECT_NE(reason(third, "torch.cuda.synchronize").find("changed by hand"), std::string::npos);
}

TEST_F(PlanTest, EverythingLeftHasItsReason) {
  files_.put("third_party/a.py", "import torch\nx.cuda()\n");
  files_.put("setup.py", "import torch\nif torch.cuda.is_available(): pass\n");
  files_.put("configs/base.py", "device = 'cuda:0'\n");
  files_.put("run.sh", "nvcc -O3 a.cu\n");
  files_.put("stub.pyi", "def f(device='cuda'): ...\n");
  const Plan made = plan();
  EXPECT_TRUE(made.empty());
  for (const Unchanged& u : made.unchanged) EXPECT_FALSE(u.reason.empty()) << u.path;
  EXPECT_EQ(reason(made, "torch.cuda.is_available"),
            "runs before the package can be imported, so it cannot ask the helper");
  EXPECT_NE(reason(made, "'cuda:0'").find("settings"), std::string::npos);
  EXPECT_FALSE(made.advice.empty());
}

TEST_F(PlanTest, GuardOfAToolOfNvidiasOwnStays) {
  const std::string alone =
      "import torch\ndef mark(name):\n    if not torch.cuda.is_available():\n        return\n"
      "    torch.cuda.nvtx.range_push(name)\n";
  files_.put("a.py", alone);
  files_.put("b.py",
             "import torch\ndef run(x):\n    if torch.cuda.is_available():\n        torch.cuda.nvtx.range_push('run')\n"
             "        x = x.cuda()\n");
  const Plan made = plan();
  EXPECT_FALSE(has(made, "a.py"));
  EXPECT_EQ(reason(made, "torch.cuda.is_available"),
            "guards a tool of NVIDIA's own, which raises where another card is");
  EXPECT_NE(after(made, "b.py").find("if accelerator.is_available()"), std::string::npos);
}

constexpr const char* kBranches =
    "import torch\ndef free():\n    if torch.xpu.is_available():\n        torch.xpu.empty_cache()\n"
    "    elif torch.cuda.is_available():\n        torch.cuda.empty_cache()\ndef name(x):\n"
    "    if x.device.type == 'xpu':\n        return 'xpu'\n    elif x.device.type == 'cuda':\n        return 'cuda'\n";

TEST_F(PlanTest, BranchesOfOneFileAreSelectedAsAWhole) {
  files_.put("a.py", kBranches);
  const Plan memory = plan({"amp-memory"});
  const Plan all = plan();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(after(memory, "a.py"), after(all, "a.py"));
  EXPECT_EQ(after(all, "a.py").find("cuda"), std::string::npos);
  for (const Edit& edit : all.changes.at(0).edits) EXPECT_EQ(edit.ids.empty(), edit.group.empty()) << edit.text;
  expect_finished(all);
}

TEST_F(PlanTest, OneBranchThatAPersonKeepsKeepsAll) {
  const std::string text(kBranches);
  const std::size_t at = text.find("torch.cuda.empty_cache()") + 24;
  files_.put("a.py", text.substr(0, at) + "  # accelport: retain -- measured so" + text.substr(at));
  const Plan made = plan();
  EXPECT_TRUE(made.empty());
  ASSERT_EQ(made.advice.size(), 1u);
  EXPECT_EQ(made.advice[0].text.substr(0, 14), "a.py:5, 10: br") << made.advice[0].text;
  EXPECT_NE(made.advice[0].text.find("line 6 stays (a person has decided so)"), std::string::npos);
}

TEST_F(PlanTest, BranchesOfANotebookFollowTheSameRules) {
  const auto cell = [](const std::string& lines) { return R"({"cell_type": "code", "source": ")" + lines + "\"}"; };
  const std::string branches =
      "if torch.xpu.is_available():\\n    d = torch.device('xpu')\\nelif torch.cuda.is_available():\\n    d = "
      "torch.device('cuda')";
  files_.put("a.ipynb", R"({"cells": [)" + cell("import torch") + ", " + cell(branches) + R"(], "nbformat": 4})");
  const Plan made = plan();
  ASSERT_TRUE(has(made, "a.ipynb"));
  EXPECT_EQ(after(made, "a.ipynb").find("cuda"), std::string::npos) << after(made, "a.ipynb");
  expect_finished(made);
}

TEST_F(PlanTest, OperandsOfOneAndChangeTogether) {
  files_.put("a.py",
             "import torch\nok = torch.cuda.is_available() and torch.cuda.nccl.version() >= (2, 10)\n"
             "one = torch.cuda.is_available() and torch.version.cuda >= '12'\n"
             "two = torch.cuda.is_available() or torch.version.cuda is None\n"
             "fit = torch.cuda.is_available() and torch.cuda.is_bf16_supported()\n");
  const std::string made = after(plan(), "a.py");
  EXPECT_NE(made.find("one = torch.cuda.is_available() and torch.version.cuda"), std::string::npos) << made;
  EXPECT_NE(made.find("two = accelerator.is_available() or torch.version.cuda"), std::string::npos) << made;
  EXPECT_NE(made.find("fit = accelerator.is_available() and accelerator."), std::string::npos) << made;
}

TEST_F(PlanTest, ObjectOfAnOwnClassThatMovesIsNotATensor) {
  files_.put(
      "data.py",
      "class Batch:\n    def cuda(self):\n        return self\n\ndef make_batch(n) -> Batch:\n    return Batch()\n\n"
      "def other():\n    return 1\n");
  files_.put("a.py", "from data import make_batch\nb = make_batch(3).cuda()\n");
  files_.put("b.py", "from data import other\nimport torch\nx = y.cuda()\n");
  const Plan made = plan();
  EXPECT_FALSE(has(made, "a.py"));
  ASSERT_EQ(made.unchanged.size(), 1u);
  EXPECT_NE(made.unchanged[0].reason.find("the class Batch has cuda() but no to()"), std::string::npos);
  EXPECT_TRUE(has(made, "b.py"));
}

TEST_F(PlanTest, OnlySelectsByCategoryPathAndId) {
  files_.put("a.py", "import torch\nx.cuda()\ntorch.cuda.synchronize()\n");
  files_.put("b.py", "import torch\ny.cuda()\n");
  const Plan memory = plan({"amp-memory"});
  EXPECT_EQ(after(memory, "a.py"), "import torch\nimport accelerator\nx.cuda()\naccelerator.synchronize()\n");
  EXPECT_FALSE(has(memory, "b.py"));
  EXPECT_FALSE(has(plan({"b.py"}), "a.py"));
  const Plan all = plan();
  const auto& edits = all.changes.at(0).edits;
  const auto owned = std::find_if(edits.begin(), edits.end(), [](const Edit& e) { return !e.ids.empty(); });
  const Plan one = plan({owned->ids[0]});
  EXPECT_EQ(after(one, "a.py"),
            "import torch\nimport accelerator\nx.to(accelerator.accelerator_device())\ntorch.cuda.synchronize()\n");
}

TEST_F(PlanTest, ConfiguredValuesAndTheirReadersChangeTogether) {
  files_.put("conf.yaml", "device: cuda\ntrain:\n  device: cuda:1\n");
  files_.put("a.py", "import torch\ntorch.device(cfg.device)\n");
  files_.put("b.py", "import torch\ntorch.cuda.synchronize()\nx.to(cfg.other)\n");
  const std::string mapped =
      "import torch\nimport accelerator\ntorch.device(accelerator.configured_device(cfg.device))\n";
  EXPECT_TRUE(plan({"a.py"}).empty());
  const Plan values = plan({"conf.yaml"});
  EXPECT_EQ(after(values, "a.py"), mapped);
  EXPECT_FALSE(has(values, "b.py"));
  const Plan all = plan();
  ASSERT_EQ(all.mapped.size(), 2u);
  EXPECT_EQ(all.mapped[0].reader, "a.py:2");
  EXPECT_TRUE(all.unchanged.empty());
  const std::vector<std::string> ids{all.mapped[0].id, all.mapped[1].id};
  EXPECT_EQ(all.changes.at(0).edits.back().ids, ids);
  expect_finished(all);
  EXPECT_EQ(plan().mapped.size(), 2u) << "the reader that is there already counts";
}

TEST_F(PlanTest, ConfiguredValuesThatAreComparedOrHandedOn) {
  files_.put("conf.yaml", "device: cuda\nbackend: nccl\n");
  files_.put("a.py",
             "import torch\nif cfg.device not in ('cuda', 'cpu'): raise ValueError(cfg.device)\n"
             "if 'cuda' == cfg.device or cfg.device == 'cpu': print(cfg.device)\n"
             "setup(cfg.device, backend=cfg.backend)\nstart(1, cfg.device)\n");
  const Plan made = plan();
  EXPECT_EQ(after(made, "a.py"),
            "import torch\nimport accelerator\n"
            "if accelerator.configured_device(cfg.device) not in (accelerator.accelerator_type(), 'cpu'): "
            "raise ValueError(accelerator.configured_device(cfg.device))\n"
            "if accelerator.accelerator_type() == accelerator.configured_device(cfg.device) or cfg.device == 'cpu': "
            "print(cfg.device)\n"
            "setup(accelerator.configured_device(cfg.device), backend=accelerator.configured_backend(cfg.backend))\n"
            "start(1, accelerator.configured_device(cfg.device))\n");
  expect_finished(made);
}

TEST_F(PlanTest, ReaderThatCannotAskTheHelperMapsNothing) {
  files_.put("conf.yaml", "device: cuda\n");
  files_.put("setup.py", "import torch\ntorch.device(cfg.device)\n");
  files_.put("a.py", "import torch\n@torch.jit.script\ndef f(x):\n    return x.to(cfg.device)\n");
  const Plan made = plan();
  EXPECT_TRUE(made.empty());
  EXPECT_TRUE(made.mapped.empty());
  ASSERT_EQ(made.unchanged.size(), 1u);
  EXPECT_NE(made.unchanged[0].reason.find("nobody maps it"), std::string::npos);
}

TEST_F(PlanTest, ThreadsDoNotMatter) {
  for (int i = 0; i < 40; ++i)
    files_.put("d" + std::to_string(i % 7) + "/f" + std::to_string(i) + ".py",
               "import torch\nfrom torch.cuda.amp import autocast\nx = y.cuda(" + std::to_string(i) + ")\n");
  const Plan one = plan({}, 1), four = plan({}, 4);
  ASSERT_EQ(one.changes.size(), four.changes.size());
  for (std::size_t i = 0; i < one.changes.size(); ++i) {
    EXPECT_EQ(one.changes[i].path, four.changes[i].path);
    EXPECT_EQ(one.changes[i].after, four.changes[i].after);
  }
}

TEST_F(PlanTest, ClassThatOnlyKnowsCudaIsNotMovedOtherwise) {
  files_.put("batch.py", "class Batch:\n    def cuda(self):\n        return self\n");
  files_.put("train.py", "import torch\nfrom batch import Batch\nb = Batch()\nb.cuda()\n");
  EXPECT_NE(reason(plan(), "b.cuda").find("Batch has cuda() but no to()"), std::string::npos);
}

TEST_F(PlanTest, OlderPythonKeepsItsDecorators) {
  files_.put("setup.cfg", "[options]\npython_requires = >=3.7\n");
  files_.put("a.py", "import torch\n@torch.cuda.amp.custom_fwd\ndef f(): pass\n");
  EXPECT_NE(reason(plan(), "torch.cuda.amp.custom_fwd").find("Python 3.9"), std::string::npos);
}

TEST_F(PlanTest, BindingAndUsesChangeTogether) {
  files_.put("a.py", "import torch.cuda as tc\ndef f(s: tc.Stream):\n    tc.synchronize()\n");
  const Plan made = plan();
  EXPECT_EQ(after(made, "a.py"),
            "import accelerator\ntc = accelerator.accelerator_module()\ndef f(s: tc.Stream):\n"
            "    accelerator.synchronize()\n");
}

TEST_F(PlanTest, StyleAndPlatformsAreChecked) {
  const Audit audit;
  PlanOptions options;
  EXPECT_FALSE(plan_port(audit, catalog(), options, files_));
  options.platforms = {&catalog().platforms.front()};
  EXPECT_TRUE(plan_port(audit, catalog(), options, files_));
  options.style = "nonsense";
  EXPECT_FALSE(plan_port(audit, catalog(), options, files_));
}

TEST(RulesForThePort, NameFunctionsThatTheHelperHas) {
  const Catalog catalog = load_catalog(embedded_data()).value();
  const HelperTable table = embedded_helper_table().value();
  for (const Rule& rule : catalog.rules)
    for (const Outcome& outcome : rule.outcomes) {
      if (outcome.helper.empty()) continue;
      const HelperFunction* function = table.find(outcome.helper);
      ASSERT_NE(function, nullptr) << rule.id << ": " << outcome.helper;
      EXPECT_NE(function->kind, HelperKind::private_) << rule.id;
    }
}

}  // namespace
}  // namespace accelport
