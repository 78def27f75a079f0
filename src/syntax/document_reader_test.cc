#include <gtest/gtest.h>

#include "syntax/document.h"
#include "syntax/site_test_util.h"

namespace accelport {
namespace {

const SiteCase kMarkdown[] = {
    {"prose",
     "a.md",
     "Runs on CUDA.\n# CUDA\n| a | cuda |\n",
     {"1 prose/none Runs on CUDA.*", "2 prose/heading # CUDA*", "3 prose/table | a | cuda |*"}},
    {"inline",
     "a.md",
     "Call `x.cuda()` now\nsee [x](https://x/cuda)\nBoth `cuda` and cuda\n",
     {"1 prose/inline_code * first=x.cuda()", "2 prose/link *flows=path", "3 prose/none *"}},
    {"shell fence",
     "a.md",
     "```bash\npip install torch --index-url https://x/cuda\n# cuda\n```\n",
     {"2 prose/code_block pip install * api=package:torch callee=pip install *language=shell",
      "3 prose/code_block # cuda *flows=message language=shell"}},
    {"prompt",
     "a.md",
     "```\n$ nvidia-smi\ncuda 12\n```\n",
     {"2 prose/code_block $ nvidia-smi api=tool:nvidia-smi *language=shell",
      "3 prose/code_block cuda 12 value=cuda 12 language=text"}},
    {"guess",
     "a.md",
     "```\nCUDA_VISIBLE_DEVICES=0 python t.py\nx = torch.cuda.device_count()\n```\n",
     {"2 prose/code_block CUDA* api=env:CUDA_VISIBLE_DEVICES*language=shell",
      "3 prose/code_block x = * api=torch.cuda.device_count*language=python"}},
    {"doctest",
     "a.md",
     "~~~python\n>>> import torch\n>>> torch.ones(3, device='cuda')\ntensor(device='cuda:0')\n~~~\n",
     {"3 prose/code_block >>> torch.ones* language=python", "4 prose/code_block tensor* language=text"}},
    {"indented",
     "a.md",
     "Text\n\n    pip install cuda\n\nText cuda\n",
     {"3 prose/code_block pip install cuda api=package:cuda*", "5 prose/none Text cuda*"}},
    {"list is no code", "a.md", "- a\n\n    cuda\n", {"3 prose/none cuda*"}},
    {"comment",
     "a.md",
     "<!-- cuda\ncuda -->\ncuda\n",
     {"1 comment/none <!-- cuda*", "2 comment/none cuda -->*", "3 prose/none cuda*"}},
    {"front matter",
     "a.md",
     "---\ndevice: cuda\n---\ncuda\n",
     {"2 entry/config_value cuda keyword=device*language=yaml", "4 prose/none cuda*"}},
    {"unclosed fence", "a.md", "```python\nx = y.cuda()\n", {"2 prose/code_block x = y.cuda() api=?.cuda*"}},
    {"dockerfile fence",
     "a.md",
     "```dockerfile\nFROM nvidia/cuda:12\n```\n",
     {"2 prose/code_block FROM nvidia/cuda:12 api=image:nvidia/cuda:12*language=dockerfile"}},
};

const SiteCase kRst[] = {
    {"heading", "a.rst", "On CUDA\n=======\n\nText ``cuda``.\n", {"1 prose/heading On CUDA*", "4 prose/inline_code *"}},
    {"directive",
     "a.rst",
     ".. code-block:: bash\n   :caption: x\n\n   pip install torch\n\ncuda\n",
     {"4 prose/code_block pip install torch api=package:torch*language=shell", "6 prose/none cuda*"}},
    {"literal block",
     "a.rst",
     "As here::\n\n    >>> x.cuda()\n    'cuda'\n\nEnd cuda\n",
     {"3 prose/code_block >>> x.cuda() api=?.cuda*language=python", "4 prose/code_block 'cuda' *language=text",
      "6 prose/none End cuda*"}},
    {"comment",
     "a.rst",
     ".. on cuda\n   cuda\n\ncuda\n",
     {"1 comment/none .. on cuda*", "2 comment/none cuda*", "4 prose/none cuda*"}},
    {"link", "a.rst", ".. _cuda: https://x\n", {"1 prose/link .. _cuda: https://x*"}},
};

const SiteCase kText[] = {
    {"prose", "notes.txt", "  on cuda\n", {"1 prose/none on cuda*"}},
    {"other", "a.js", "let x = 'cuda';\n", {"1 text/none let x = 'cuda';*"}},
    {"licence", "LICENSE", "NVIDIA Corporation\n", {"1 prose/none NVIDIA Corporation*"}},
};

TEST(MarkdownReader, Cases) {
  for (const SiteCase& one : kMarkdown) check_site_case(one);
}
TEST(RstReader, Cases) {
  for (const SiteCase& one : kRst) check_site_case(one);
}
TEST(TextReader, Cases) {
  for (const SiteCase& one : kText) check_site_case(one);
}
TEST(Document, GuessesTheLanguageOfALine) {
  EXPECT_EQ(guess_code_language("pip install x"), Language::shell);
  EXPECT_EQ(guess_code_language("CUDA_X=1 ./run"), Language::shell);
  EXPECT_EQ(guess_code_language("import torch"), Language::python);
  EXPECT_EQ(guess_code_language("model.cuda()"), Language::python);
  EXPECT_EQ(guess_code_language("k<<<1, 2>>>(x);"), Language::cxx);
  EXPECT_EQ(guess_code_language("some words"), Language::text);
}

}  // namespace
}  // namespace accelport
