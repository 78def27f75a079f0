#include <gtest/gtest.h>

#include "syntax/notebook_json.h"
#include "syntax/site_test_util.h"

namespace accelport {
namespace {

const SiteCase kCases[] = {
    {"code and output",
     "a.ipynb",
     R"J({"cells": [
 {"cell_type": "code", "source": ["import torch as t\n", "x = t.cuda.device_count()\n"], "outputs": [{"text": ["device=cuda:0\n", "cuda"]}]},
 {"cell_type": "code", "source": "y = t.cuda.FloatTensor(1)", "outputs": []}], "nbformat": 4})J",
     {"2 chain/assigned t.cuda.device_count api=torch.cuda.device_count*language=python cell=0:2",
      "2 output/none device=cuda:0*cuda * cell=0:0",
      "3 chain/assigned t.cuda.FloatTensor api=torch.cuda.FloatTensor*cell=1:1"}},
    {"magics",
     "a.ipynb",
     R"J({"cells": [{"cell_type": "code", "source": ["%env CUDA_VISIBLE_DEVICES=0\n", "!pip install torch \\\n", "   cuda\n", "%pip install nvidia-x\n", "out = !nvidia-smi -L\n", "%timeit -n 10 x.cuda()\n", "?x.cuda\n", "torch.cuda??\n", "z = 1 % cuda\n"]}]})J",
     {"1 variable/exported CUDA_VISIBLE_DEVICES=0 api=env:CUDA_VISIBLE_DEVICES*value=0*cell=0:1",
      "1 command/command_argument torch api=package:torch*cell=0:2",
      "1 command/command_argument cuda api=package:cuda*cell=0:3",
      "1 command/command_argument nvidia-x api=package:nvidia-x callee=pip install*",
      "1 command/command_name nvidia-smi*", "1 chain/* x.cuda api=?.cuda*called=0*cell=0:6",
      "1 chain/* torch.cuda *cell=0:8", "1 chain/* cuda *cell=0:9"}},
    {"cell of another language",
     "a.ipynb",
     R"J({"cells": [{"cell_type": "code", "source": ["%%bash\n", "CUDA_A=1 python x.py"]}, {"cell_type": "code", "source": ["%%writefile cuda.py\n", "import torch\n", "a = torch.cuda.init()"]}, {"cell_type": "code", "source": "%%time\nb.cuda()"}]})J",
     {"1 variable/prefixed CUDA_A=1 *language=shell cell=0:2", "1 command/command_argument cuda.py *cell=1:1",
      "1 chain/assigned torch.cuda.init*cell=1:3", "1 chain/* b.cuda api=?.cuda*cell=2:2"}},
    {"markdown and raw",
     "a.ipynb",
     R"J({"cells": [{"cell_type": "markdown", "source": ["# CUDA\n", "use `cuda`"]}, {"cell_type": "raw", "source": "cuda"}]})J",
     {"1 prose/heading # CUDA*cell=0:1", "1 prose/inline_code *cell=0:2", "1 * cuda *language=text cell=1:1"}},
    {"escapes",
     "a.ipynb",
     R"J({"cells": [{"cell_type": "code", "source": ["s = \"caf\u00e9 cuda\"\n", "t = '\ud83d\ude00'; u = x.cuda()\n"]}]})J",
     {R"J(1 string/assigned \"caf\u00e9 cuda\" *value=café cuda*cell=0:1)J", "1 chain/assigned x.cuda *cell=0:2"}},
    {"percent inside of a string",
     "a.ipynb",
     R"J({"cells": [{"cell_type": "code", "source": ["f(\"\"\"\n", "%s cuda\n", "\"\"\")\n", "y = x.cuda()"]}]})J",
     {"1 chain/assigned x.cuda*cell=0:4"}},
    {"format 3",
     "a.ipynb",
     R"J({"worksheets": [{"cells": [{"cell_type": "code", "input": ["x.cuda()"], "outputs": [{"text": "cuda"}]}]}], "nbformat": 3})J",
     {"1 chain/* x.cuda *cell=0:1", "1 output/none cuda *"}},
    {"metadata", "a.ipynb", "{\"cells\": [],\n \"metadata\": {\"name\": \"cuda\"}}", {"2 entry/config_value *cuda*"}},
    {"broken cell does not spoil the next",
     "a.ipynb",
     R"J({"cells": [{"cell_type": "code", "source": "f((( x.cuda()"}, {"cell_type": "code", "source": "import torch\ny = torch.cuda.init()"}]})J",
     {"1 chain/assigned torch.cuda.init api=torch.cuda.init*cell=1:2"}},
    {"cut file", "a.ipynb", R"J({"cells": [{"cell_type": "code", "source": ["x.cuda()\n", "y.cud)J", {"1 *x.cuda*"}},
};

TEST(NotebookReader, Cases) {
  for (const SiteCase& one : kCases) check_site_case(one);
}

TEST(NotebookJson, MapsBackIntoTheFile) {
  const std::string_view text = R"J({"cells": [{"cell_type": "code", "source": ["a\t\"b\"\n", "c"]}]})J";
  std::uint32_t damage = 0;
  const std::vector<NotebookCell> cells = find_cells(text, damage);
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(damage, 0u);
  const PieceBuilder piece = cell_source(text, cells.front());
  EXPECT_EQ(piece.view(), "a\t\"b\"\nc");
  for (std::uint32_t i = 0; i < piece.size(); ++i) {
    const Span back = piece.map().to_outer({i, i + 1});
    EXPECT_EQ(piece.map().to_inner(back.begin), i);
  }
  EXPECT_EQ(slice(text, piece.map().to_outer({2, 5})), R"J(\"b\")J");
  EXPECT_EQ(slice(text, piece.map().to_outer({6, 7})), "c");
}

}  // namespace
}  // namespace accelport
