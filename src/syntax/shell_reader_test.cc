#include <gtest/gtest.h>

#include "syntax/shell_lexer.h"
#include "syntax/site_test_util.h"

namespace accelport {
namespace {

const SiteCase kCases[] = {
    {"export",
     "a.sh",
     "export CUDA_VISIBLE_DEVICES=$IDS\n",
     {"1 variable/exported CUDA_VISIBLE_DEVICES=$IDS api=env:CUDA_VISIBLE_DEVICES keyword=CUDA_VISIBLE_DEVICES "
      "value=$IDS*"}},
    {"prefix",
     "a.sh",
     "CUDA_VISIBLE_DEVICES=1 python main.py\n",
     {"1 variable/prefixed CUDA_VISIBLE_DEVICES=1 api=env:* callee=python * value=1 first=main.py*"}},
    {"env",
     "a.sh",
     "nohup env CUDA_VISIBLE_DEVICES=0 python -u t.py &\n",
     {"1 variable/prefixed CUDA_VISIBLE_DEVICES=0 api=env:CUDA_VISIBLE_DEVICES callee=env*"}},
    {"read inside of another",
     "a.sh",
     "LD_LIBRARY_PATH=$CUDA_HOME/lib\n",
     {"1 variable/read $CUDA_HOME api=env:CUDA_HOME keyword=LD_LIBRARY_PATH*", "!*/set *"}},
    {"default", "a.sh", "N=${CUDA_N:-0,1}\n", {"1 variable/read ${CUDA_N:-0,1} api=env:CUDA_N keyword=N value=0,1*"}},
    {"unset", "a.sh", "unset CUDA_HOME\n", {"1 variable/removed CUDA_HOME api=env:CUDA_HOME*"}},
    {"single quotes do not expand",
     "a.sh",
     "echo '$CUDA_HOME'\n",
     {"!*variable/read*", "1 command/command_argument '$CUDA_HOME'*flows=message*"}},
    {"double quotes do", "a.sh", "echo \"at $CUDA_HOME\"\n", {"1 variable/read $CUDA_HOME*", "!*command_argument*"}},
    {"slurm",
     "a.sh",
     "#!/bin/bash\n#SBATCH --gres=gpu:4  # four\n",
     {"2 directive/command_option #SBATCH * callee=SBATCH keyword=--gres value=gpu:4*"}},
    {"option pair",
     "a.sh",
     "python t.py --device cuda --backend=nccl\n",
     {"1 command/command_option --device callee=python keyword=--device value=cuda first=t.py",
      "1 command/command_argument cuda callee=python keyword=--device*",
      "1 command/command_option --backend=nccl * keyword=--backend value=nccl*"}},
    {"line continuation",
     "a.sh",
     "python t.py \\\n  --device \\\n  cuda\n",
     {"3 command/command_argument cuda callee=python keyword=--device*"}},
    {"override",
     "a.sh",
     "tune run x device=cuda\n",
     {"1 command/command_argument device=cuda callee=tune keyword=device value=cuda*"}},
    {"tool", "a.sh", "n=$(nvidia-smi -L | wc -l)\n", {"1 command/command_name nvidia-smi api=tool:nvidia-smi*"}},
    {"backticks", "a.sh", "n=`nvidia-smi -L`\n", {"1 command/command_name nvidia-smi api=tool:nvidia-smi*"}},
    {"docker",
     "a.sh",
     "docker run --gpus all -it -e NVIDIA_VISIBLE_DEVICES=all -v a:b nvidia/cuda:12 python t.py --device cuda\n",
     {"1 command/command_option --gpus callee=docker run keyword=--gpus value=all first=nvidia/cuda:12",
      "1 variable/set NVIDIA_VISIBLE_DEVICES=all api=env:NVIDIA_VISIBLE_DEVICES*",
      "1 command/command_argument nvidia/cuda:12 api=image:nvidia/cuda:12*",
      "1 command/command_argument cuda callee=python keyword=--device*"}},
    {"pip",
     "a.sh",
     "pip install -U torch==2.1.0+cu118 --extra-index-url https://x/cuda -r cuda.txt\n",
     {"1 command/command_argument torch==2.1.0+cu118 api=package:torch callee=pip install value===2.1.0+cu118*",
      "1 command/command_argument https://x/cuda callee=pip install keyword=--extra-index-url*",
      "1 command/command_argument cuda.txt callee=pip install keyword=-r*"}},
    {"python -m pip",
     "a.sh",
     "python -m pip install flash_attn\n",
     {"1 command/command_argument flash_attn api=package:flash-attn callee=pip install*"}},
    {"python -c",
     "a.sh",
     "python -c \"import torch; print(torch.cuda.is_available())\"\n",
     {"1 chain/* torch.cuda.is_available api=torch.cuda.is_available*language=python"}},
    {"bash -c", "a.sh", "bash -c 'CUDA_A=0 ./run.sh'\n", {"1 variable/prefixed CUDA_A=0*"}},
    {"here-document of a program",
     "a.sh",
     "python - <<'EOF'\nimport torch\nx = torch.cuda.device_count()\nEOF\necho cuda\n",
     {"3 chain/assigned torch.cuda.device_count*", "5 command/command_argument cuda callee=echo*"}},
    {"here-document of a file",
     "a.sh",
     "cat > Dockerfile <<EOF\nFROM nvidia/cuda:12\nEOF\n",
     {"2 directive/config_value nvidia/cuda:12 api=image:*language=dockerfile"}},
    {"if and else",
     "a.sh",
     "if command -v nvcc; then\n  a cuda\nelse\n  b cuda\nfi\nc cuda\n",
     {"2 *guards=nvidia", "4 *guards=unavailable", "!6 *guards=*"}},
    {"elif",
     "a.sh",
     "if x; then\n a\nelif [ \"$B\" = nccl ]; then\n b cuda\nfi\n",
     {"3 command/compared nccl callee=env:B*", "4 *guards=option,backend_name"}},
    {"and",
     "a.sh",
     "[ \"$D\" == cuda ] && export FORCE_CUDA=1\n",
     {"1 variable/exported FORCE_CUDA=1 *guards=device_type*"}},
    {"case",
     "a.sh",
     "case \"$1\" in\n  cuda) a cuda ;;\n  rocm) b cuda ;;\nesac\nc cuda\n",
     {"2 command/pattern cuda*", "2 command/command_argument cuda * guards=*device_type*", "3 *guards=*other_platform*",
      "!5 *guards=*"}},
    {"case on one line",
     "a.sh",
     "case $1 in cuda) a cuda;; esac\nc cuda\n",
     {"1 command/pattern cuda*", "!2 *guards=*"}},
    {"other card from the platforms",
     "a.sh",
     "if [ $D = newcard ]; then\n a cuda\nfi\n",
     {"2 *guards=*other_platform*"}},
    {"function",
     "a.sh",
     "f_cuda() {\n  a cuda\n}\nb cuda\n",
     {"1 command/definition f_cuda*", "2 *function=f_cuda", "!4 *function=*"}},
    {"comment", "a.sh", "a # on cuda\n", {"1 comment/none # on cuda value=on cuda"}},
    {"hash inside of a word", "a.sh", "a b#cuda\n", {"1 command/command_argument b#cuda*"}},
    {"redirect", "a.sh", "a 2>cuda.log\n", {"1 command/command_argument cuda.log callee=a keyword=>*flows=path"}},
    {"for",
     "a.sh",
     "for d in cuda cpu; do\n a $d cuda\ndone\n",
     {"1 command/element cuda callee=for keyword=d*", "2 *guards=loop"}},
    {"arithmetic is no here-document", "a.sh", "((n = 1 << 3))\na cuda\n", {"2 command/command_argument cuda*"}},
    {"unclosed quote", "a.sh", "echo don't\na cuda\n", {"2 *cuda*"}},
    {"dotenv", ".env", "CUDA_VISIBLE_DEVICES=0,1\n", {"1 variable/set CUDA_VISIBLE_DEVICES=0,1*"}},
    {"module", "a.sh", "module load cuda/11\n", {"1 command/command_argument cuda/11 callee=module load*"}},
    {"uv pip",
     "a.sh",
     "uv pip install torch\n",
     {"1 command/command_argument torch api=package:torch callee=uv pip install*"}},
    {"srun exports",
     "a.sh",
     "srun --export=ALL,CUDA_A=1 python t.py\n",
     {"1 variable/set --export=ALL,CUDA_A=1 api=env:CUDA_A*"}},
};

TEST(ShellReader, Cases) {
  for (const SiteCase& one : kCases) check_site_case(one);
}

TEST(ShellLexer, ValuesOfWords) {
  EXPECT_EQ(shell_value("a\\ b"), "a b");
  EXPECT_EQ(shell_value("'a'\"b\"c"), "abc");
  EXPECT_EQ(shell_value("\"\\$x \\n\""), "$x \\n");
}

TEST(ShellLexer, FindsTheEndOfGroups) {
  const std::string_view text = "$(a $(b) \")\" ')' ) x";
  EXPECT_EQ(ShellLexer::matching_end(text, 0, static_cast<std::uint32_t>(text.size())), 18u);
  EXPECT_EQ(ShellLexer::matching_end("$(a", 0, 3), 0u);
}

}  // namespace
}  // namespace accelport
