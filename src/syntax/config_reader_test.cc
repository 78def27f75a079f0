#include <gtest/gtest.h>

#include "syntax/site_test_util.h"

namespace accelport {
namespace {

const SiteCase kYaml[] = {
    {"value and comment",
     "c.yaml",
     "device: cuda:0   # which cuda\n",
     {"1 entry/config_key device keyword=device value=cuda:0",
      "1 entry/config_value cuda:0 keyword=device value=cuda:0", "1 comment/none # which cuda*"}},
    {"nested",
     "c.yaml",
     "train:\n  opt:\n    device: \"cuda\"\n  x: 1\n",
     {"3 entry/config_value \"cuda\" keyword=train.opt.device value=cuda*"}},
    {"flow",
     "c.yaml",
     "train: {device: 'cuda', amp: true}\nb: cuda\n",
     {"1 entry/config_value 'cuda' keyword=train.device value=cuda*", "2 entry/config_value cuda keyword=b*"}},
    {"flow over lines",
     "c.yaml",
     "a: [cpu,\n    cuda,  # cuda too\n    mps]\nb: cuda\n",
     {"2 entry/config_value cuda keyword=a.[]*", "2 comment/none # cuda too*", "4 entry/config_value cuda keyword=b*"}},
    {"list at the key's own column",
     "c.yaml",
     "a:\n- cuda\n- b: cuda\nc: cuda\n",
     {"2 entry/config_value cuda keyword=a.[] *", "3 entry/config_value cuda keyword=a.[].b *",
      "4 entry/config_value cuda keyword=c *"}},
    {"anchor and tag", "c.yaml", "a: &x !!str cuda\n", {"1 entry/config_value cuda keyword=a *"}},
    {"block scalar",
     "c.yaml",
     "a: |\n  one cuda\n\n  two: cuda\nb: cuda\n",
     {"2 entry/config_value one cuda keyword=a *", "4 entry/config_value two: cuda keyword=a *",
      "5 entry/config_value cuda keyword=b *"}},
    {"quoted key", "c.yaml", "\"cuda x\": 1\n", {"1 entry/config_key \"cuda x\" keyword=cuda x value=1"}},
    {"workflow",
     ".github/workflows/a.yml",
     "jobs:\n  t:\n    runs-on: [self-hosted, cuda]\n    container: {image: 'nvidia/cuda:12', options: --gpus all}\n   "
     " env: {CUDA_VISIBLE_DEVICES: '0'}\n    steps:\n      - run: |\n          if nvidia-smi; then\n            pip "
     "install torch\n          fi\n",
     {"3 directive/config_value cuda keyword=jobs.t.runs-on.[]*",
      "4 entry/config_value 'nvidia/cuda:12' api=image:nvidia/cuda:12*",
      "4 directive/config_value --gpus all keyword=jobs.t.container.options*",
      "5 variable/set CUDA_VISIBLE_DEVICES api=env:CUDA_VISIBLE_DEVICES*value=0*",
      "8 command/command_name nvidia-smi*language=shell",
      "9 command/command_argument torch api=package:torch*guards=nvidia*"}},
    {"python step",
     ".github/workflows/a.yml",
     "jobs:\n  t:\n    steps:\n      - run: |\n          import torch\n          torch.cuda.init()\n        shell: "
     "python\n",
     {"6 chain/* torch.cuda.init api=torch.cuda.init*language=python"}},
    {"compose",
     "docker-compose.yml",
     "services:\n  a:\n    image: nvidia/cuda:12\n    runtime: nvidia\n    command: [\"python\", \"t.py\", "
     "\"--device\", \"cuda\"]\n    environment:\n      - NVIDIA_VISIBLE_DEVICES=all\n      - CUDA_X\n",
     {"3 entry/config_value nvidia/cuda:12 api=image:nvidia/cuda:12*",
      "4 directive/config_value nvidia keyword=services.a.runtime*",
      "5 command/command_argument cuda callee=python keyword=--device*",
      "7 variable/set NVIDIA_VISIBLE_DEVICES=all api=env:NVIDIA_VISIBLE_DEVICES*value=all*",
      "8 variable/exported CUDA_X*"}},
    {"folded command",
     "compose.yml",
     "services:\n  a:\n    build: .\n    command: >\n      torchrun t.py\n      --backend nccl\n",
     {"5 command/command_name torchrun*", "6 command/command_argument nccl callee=torchrun keyword=--backend*"}},
    {"kubernetes",
     "k.yaml",
     "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - command: [bash, -c, CUDA_A=0 python t.py]\n    env:\n    - "
     "name: CUDA_VISIBLE_DEVICES\n      value: '0'\n    resources: {limits: {nvidia.com/gpu: 1}}\n",
     {"5 variable/prefixed CUDA_A=0*", "7 variable/set CUDA_VISIBLE_DEVICES api=env:CUDA_VISIBLE_DEVICES*",
      "9 directive/config_key nvidia.com/gpu keyword=*limits.nvidia.com/gpu value=1*"}},
    {"conda",
     "environment.yml",
     "channels: [nvidia]\ndependencies:\n  - pytorch-cuda=11.8\n  - nvidia::cudatoolkit=11\n  - pip:\n    - "
     "torch==2.1+cu118\n    - --extra-index-url https://x/cuda\n",
     {"3 entry/config_value pytorch-cuda=11.8 api=package:pytorch-cuda *value==11.8",
      "4 entry/config_value nvidia::cudatoolkit=11 api=package:cudatoolkit*",
      "6 entry/config_value torch==2.1+cu118 api=package:torch *",
      "7 entry/command_option --extra-index-url https://x/cuda keyword=--extra-index-url value=https://x/cuda*"}},
    {"unclosed bracket", "c.yaml", "a: [cuda,\nb: cuda\n", {"1 entry/config_value cuda*"}},
};

const SiteCase kJson[] = {
    {"pairs",
     "c.json",
     "{\"device\": \"cuda:0\", \"a\": [1, {\"cuda\": null}]}\n",
     {"1 entry/config_key \"device\" keyword=device value=cuda:0",
      "1 entry/config_value \"cuda:0\" keyword=device value=cuda:0",
      "1 entry/config_key \"cuda\" keyword=a.[].cuda value=null"}},
    {"comments and commas",
     "c.json",
     "{ // cuda\n \"a\": \"cuda\", /* cuda\n cuda */ }\n",
     {"1 comment/none // cuda*", "2 entry/config_value \"cuda\"*", "3 comment/none cuda */*"}},
    {"escapes",
     "c.json",
     "{\"a\": \"x \\\"cuda\\\" \\u0041\"}\n",
     {"1 entry/config_value * keyword=a value=x \"cuda\" A"}},
    {"lines", "c.jsonl", "{\"a\": \"cuda\"}\n{\"b\": \"cuda\"}\n", {"2 entry/config_value \"cuda\" keyword=b*"}},
    {"arguments of an editor",
     ".vscode/launch.json",
     "{\"args\": [\"--device\", \"cuda\"], \"env\": {\"CUDA_A\": \"0\"}}\n",
     {"1 command/command_argument cuda*"}},
    {"broken", "c.json", "{\"a\": \"cuda\n \"b\": \"cuda\"\n", {"1 entry*cuda*", "2 *\"cuda\"*"}},
};

const SiteCase kToml[] = {
    {"project",
     "pyproject.toml",
     "[project]\ndependencies = [\n  \"torch>=2\",  # cuda\n]\n[project.optional-dependencies]\ncuda = "
     "['flash-attn>=2']\n",
     {"3 entry/config_value \"torch>=2\" api=package:torch keyword=project.dependencies.[] value=>=2*",
      "3 comment/none # cuda*", "6 entry/config_key cuda keyword=project.optional-dependencies.cuda*",
      "6 entry/config_value 'flash-attn>=2' api=package:flash-attn*"}},
    {"poetry",
     "pyproject.toml",
     "[tool.poetry.dependencies]\ntorch = \"^2.0\"\n",
     {"2 entry/config_key torch api=package:torch keyword=tool.poetry.dependencies.torch value=^2.0*"}},
    {"lock",
     "uv.lock",
     "[[package]]\nname = \"nvidia-cudnn-cu12\"\n",
     {"2 entry/config_value \"nvidia-cudnn-cu12\" api=package:nvidia-cudnn-cu12 keyword=package.name*"}},
    {"tool patterns",
     "pyproject.toml",
     "[tool.coverage.report]\nexclude_lines = [\"torch.cuda.is_available\"]\n",
     {"2 entry/config_value * keyword=tool.coverage.report.exclude_lines.[]*"}},
    {"long string",
     "a.toml",
     "a = \"\"\"\nx cuda\n\"\"\"\nb = 'cuda' # cuda\n",
     {"2 entry/config_value x cuda keyword=a *", "4 entry/config_value 'cuda' keyword=b value=cuda*",
      "4 comment/none # cuda*"}},
    {"header", "_typos.toml", "[type.cuda]\nextend = 1\n", {"1 entry/config_key [type.cuda] keyword=type.cuda*"}},
};

const SiteCase kIni[] = {
    {"setup.cfg",
     "setup.cfg",
     "[options]\ninstall_requires =\n    torch>=2\n[tool:pytest]\nmarkers =\n    cuda: needs a card\n",
     {"3 entry/config_value torch>=2 api=package:torch keyword=options.install_requires*",
      "6 entry/config_value cuda: needs a card keyword=tool:pytest.markers*"}},
    {"tox",
     "tox.ini",
     "[testenv]\nsetenv =\n    CUDA_VISIBLE_DEVICES = 0\ncommands =\n    pytest --device cuda\n",
     {"5 command/command_argument cuda callee=pytest keyword=--device*"}},
    {"pair",
     "a.cfg",
     "[a]\ndevice: cuda\n; cuda\n",
     {"2 entry/config_value cuda keyword=a.device*", "3 comment/none ; cuda*"}},
};

const SiteCase kRequirements[] = {
    {"pin",
     "requirements.txt",
     "torch==2.1.0+cu118 ; sys_platform == 'linux'  # cuda\n",
     {"1 entry/config_value torch==2.1.0+cu118 ; sys_platform == 'linux' api=package:torch value===2.1.0+cu118",
      "1 comment/none # cuda*"}},
    {"index",
     "requirements-gpu.txt",
     "--extra-index-url https://x/whl/cuda\n-f https://x/torch_stable.html\n",
     {"1 entry/command_option --extra-index-url https://x/whl/cuda keyword=--extra-index-url value=https://x/whl/cuda*",
      "2 entry/command_option -f https://x/torch_stable.html keyword=-f*"}},
    {"extras and address",
     "requirements.txt",
     "Flash_Attn[cuda]>=2\ngit+https://github.com/NVIDIA/apex.git@main\n",
     {"1 entry/config_value Flash_Attn[cuda]>=2 api=package:flash-attn value=>=2",
      "2 entry/config_value git+* api=package:apex*"}},
    {"listing",
     "pip-freeze.txt",
     "torch   2.1.0+cu118\n",
     {"1 entry/config_value torch   2.1.0+cu118 api=package:torch value=2.1.0+cu118"}},
    {"hashes",
     "requirements.txt",
     "nvidia-cudnn-cu12==9.1 \\\n    --hash=sha256:ab\n",
     {"1 entry/config_value nvidia-cudnn-cu12==9.1 api=package:nvidia-cudnn-cu12*"}},
};

TEST(YamlReader, Cases) {
  for (const SiteCase& one : kYaml) check_site_case(one);
}
TEST(JsonReader, Cases) {
  for (const SiteCase& one : kJson) check_site_case(one);
}
TEST(TomlLines, Cases) {
  for (const SiteCase& one : kToml) check_site_case(one);
}
TEST(IniReader, Cases) {
  for (const SiteCase& one : kIni) check_site_case(one);
}
TEST(RequirementsReader, Cases) {
  for (const SiteCase& one : kRequirements) check_site_case(one);
}

}  // namespace
}  // namespace accelport
