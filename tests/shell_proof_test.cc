// What `prove` says of shell scripts and of the helper's functions that return what they are given: right ports are
// identical, every wrong one is a place.

#include <ostream>

#include <gtest/gtest.h>

#include "prove/prove.h"
#include "prove/shell_proof.h"
#include "support.h"

namespace accelport::test {
namespace {

struct Pair {
  const char* name;
  std::string before;
  std::string after;
  bool settings = false;
};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name; }
std::string pair_name(const testing::TestParamInfo<Pair>& info) { return info.param.name; }

Proof proof_of(const Pair& pair) {
  std::vector<const Platform*> platforms;
  for (const Platform& platform : catalog().platforms) platforms.push_back(&platform);
  return prove_shell(pair.before, pair.after, pair.settings, platforms);
}

class ShellRight : public testing::TestWithParam<Pair> {};

TEST_P(ShellRight, IsIdentical) {
  const Proof proof = proof_of(GetParam());
  EXPECT_EQ(proof.verdict, Proof::Verdict::identical);
  for (const Difference& difference : proof.differences) ADD_FAILURE() << difference.line << ": " << difference.what;
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, ShellRight,
    testing::Values(
        Pair{"unchanged", "a 'open\n", "a 'open\n"},
        Pair{"prefix", "CUDA_VISIBLE_DEVICES=0 python t.py\n",
             "CUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=0 python t.py\n"},
        Pair{"export_of_a_parameter", "export CUDA_VISIBLE_DEVICES=$1 A=2\n",
             "export CUDA_VISIBLE_DEVICES=$1 MUSA_VISIBLE_DEVICES=$1 A=2\n"},
        Pair{"environment", "nohup env CUDA_VISIBLE_DEVICES=0 p &\n",
             "nohup env CUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=0 p &\n"},
        Pair{"bare_of_a_command", "CUDA_VISIBLE_DEVICES=$(f)\n",
             "CUDA_VISIBLE_DEVICES=$(f) MUSA_VISIBLE_DEVICES=\"$CUDA_VISIBLE_DEVICES\"\n"},
        Pair{"export_of_a_command", "if x; then\n  export CUDA_VISIBLE_DEVICES=$(f) # c\nfi\n",
             "if x; then\n  export CUDA_VISIBLE_DEVICES=$(f) # c\n"
             "  export MUSA_VISIBLE_DEVICES=\"$CUDA_VISIBLE_DEVICES\"\nfi\n"},
        Pair{"names_alone", "export CUDA_VISIBLE_DEVICES\nunset CUDA_VISIBLE_DEVICES\n",
             "export CUDA_VISIBLE_DEVICES MUSA_VISIBLE_DEVICES\nunset CUDA_VISIBLE_DEVICES MUSA_VISIBLE_DEVICES\n"},
        Pair{"in_a_substitution", "x=\"$(CUDA_VISIBLE_DEVICES=0 p)\"\n",
             "x=\"$(CUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=0 p)\"\n"},
        Pair{"there_before", "export CUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=0 CUDA_LAUNCH_BLOCKING=1\n",
             "export CUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=0 CUDA_LAUNCH_BLOCKING=1 MUSA_LAUNCH_BLOCKING=1\n"},
        Pair{"settings", "CUDA_VISIBLE_DEVICES=0\nB=1\n", "CUDA_VISIBLE_DEVICES=0\nMUSA_VISIBLE_DEVICES=0\nB=1\n",
             true}),
    pair_name);

class ShellWrong : public testing::TestWithParam<Pair> {};

TEST_P(ShellWrong, IsAPlace) {
  const Proof proof = proof_of(GetParam());
  EXPECT_NE(proof.verdict, Proof::Verdict::identical);
  EXPECT_FALSE(proof.differences.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, ShellWrong,
    testing::Values(
        Pair{"other_value", "CUDA_VISIBLE_DEVICES=0 p\n", "CUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=1 p\n"},
        Pair{"changed_value", "CUDA_VISIBLE_DEVICES=0 p\n", "CUDA_VISIBLE_DEVICES=1 MUSA_VISIBLE_DEVICES=1 p\n"},
        Pair{"replaced", "CUDA_VISIBLE_DEVICES=0 p\n", "MUSA_VISIBLE_DEVICES=0 p\n"},
        Pair{"in_front", "CUDA_VISIBLE_DEVICES=0 p\n", "MUSA_VISIBLE_DEVICES=0 CUDA_VISIBLE_DEVICES=0 p\n"},
        Pair{"another_variable", "CUDA_VISIBLE_DEVICES=0 p\n", "CUDA_VISIBLE_DEVICES=0 LD_PRELOAD=0 p\n"},
        Pair{"another_counterpart", "CUDA_VISIBLE_DEVICES=0 p\n", "CUDA_VISIBLE_DEVICES=0 MUSA_LAUNCH_BLOCKING=0 p\n"},
        Pair{"command_twice", "CUDA_VISIBLE_DEVICES=$(f) p\n",
             "CUDA_VISIBLE_DEVICES=$(f) MUSA_VISIBLE_DEVICES=$(f) p\n"},
        Pair{"counted_twice", "CUDA_VISIBLE_DEVICES=$((i++))\n",
             "CUDA_VISIBLE_DEVICES=$((i++)) MUSA_VISIBLE_DEVICES=$((i++))\n"},
        Pair{"random_twice", "CUDA_VISIBLE_DEVICES=$RANDOM p\n",
             "CUDA_VISIBLE_DEVICES=$RANDOM MUSA_VISIBLE_DEVICES=$RANDOM p\n"},
        Pair{"behind_the_program", "CUDA_VISIBLE_DEVICES=0 p\n", "CUDA_VISIBLE_DEVICES=0 p MUSA_VISIBLE_DEVICES=0\n"},
        Pair{"argument_of_a_program", "echo CUDA_VISIBLE_DEVICES=0\n",
             "echo CUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=0\n"},
        Pair{"in_quotes", "run='CUDA_VISIBLE_DEVICES=0 p'\n",
             "run='CUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=0 p'\n"},
        Pair{"in_a_here_document", "cat <<E\nCUDA_VISIBLE_DEVICES=0 p\nE\n",
             "cat <<E\nCUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=0 p\nE\n"},
        Pair{"in_an_array", "a=(CUDA_VISIBLE_DEVICES=0)\n", "a=(CUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=0)\n"},
        Pair{"in_a_pattern", "case $x in\nCUDA_VISIBLE_DEVICES=0) p;;\nesac\n",
             "case $x in\nCUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=0) p;;\nesac\n"},
        Pair{"comment", "# CUDA_VISIBLE_DEVICES=0\n", "# CUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=0\n"},
        Pair{"all_arguments", "export CUDA_VISIBLE_DEVICES=\"$@\"\n",
             "export CUDA_VISIBLE_DEVICES=\"$@\" MUSA_VISIBLE_DEVICES=\"$@\"\n"},
        Pair{"line_behind_and", "x && export CUDA_VISIBLE_DEVICES=$(f)\np\n",
             "x && export CUDA_VISIBLE_DEVICES=$(f)\nexport MUSA_VISIBLE_DEVICES=\"$CUDA_VISIBLE_DEVICES\"\np\n"},
        Pair{"line_with_more", "export CUDA_VISIBLE_DEVICES=$(f)\n",
             "export CUDA_VISIBLE_DEVICES=$(f)\nexport MUSA_VISIBLE_DEVICES=\"$CUDA_VISIBLE_DEVICES\" "
             "PATH=\"$CUDA_VISIBLE_DEVICES\"\n"},
        Pair{"line_not_behind", "export CUDA_VISIBLE_DEVICES=$(f)\nexport A=1\n",
             "export CUDA_VISIBLE_DEVICES=$(f)\nexport A=1\nexport MUSA_VISIBLE_DEVICES=\"$CUDA_VISIBLE_DEVICES\"\n"},
        Pair{"status_of_the_assignment", "CUDA_VISIBLE_DEVICES=$(f)\nif [ $? ]; then p; fi\n",
             "CUDA_VISIBLE_DEVICES=$(f)\nexport MUSA_VISIBLE_DEVICES=\"$CUDA_VISIBLE_DEVICES\"\nif [ $? ]; then p; "
             "fi\n"},
        Pair{"the_script_asks", "export CUDA_VISIBLE_DEVICES=0\ntest -n \"$MUSA_VISIBLE_DEVICES\" && p\n",
             "export CUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=0\ntest -n \"$MUSA_VISIBLE_DEVICES\" && p\n"},
        Pair{"lost_line", "CUDA_VISIBLE_DEVICES=0 p\nq\n", "CUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=0 p\n"},
        Pair{"lost_of_the_original", "export CUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=3\n",
             "export CUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=0\n"},
        Pair{"place_to_fill_in", "CUDA_VISIBLE_DEVICES=<ids> p\n",
             "CUDA_VISIBLE_DEVICES= MUSA_VISIBLE_DEVICES=<ids> p\n"},
        Pair{"damaged", "CUDA_VISIBLE_DEVICES=0 p 'x\n", "CUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=0 p 'x\n"},
        Pair{"settings_on_one_line", "CUDA_VISIBLE_DEVICES=0\n", "CUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=0\n",
             true},
        Pair{"settings_other_value", "CUDA_VISIBLE_DEVICES=0\n", "CUDA_VISIBLE_DEVICES=0\nMUSA_VISIBLE_DEVICES=1\n",
             true}),
    pair_name);

Proof python_proof(const std::string& before, const std::string& after) {
  static const HelperTable table = embedded_helper_table().value();
  return prove_file("import torch\n" + before, "import torch\nimport accelerator\n" + after, table);
}

TEST(ConfiguredProof, IsWhatItIsGiven) {
  for (const std::string value :
       {"args.device", "lambda: args.device", "cfg[\"a\"].get('device', \"cpu\")", "(a or b)"}) {
    const Proof proof =
        python_proof("x.to(" + value + ").y\n", "x.to(accelerator.configured_device(" + value + ")).y\n");
    EXPECT_EQ(proof.verdict, Proof::Verdict::identical) << value;
  }
}

TEST(ConfiguredProof, WrongUsesAreDifferent) {
  const std::pair<const char*, const char*> wrong[] = {
      {"x.to(args.device)\n", "x.to(accelerator.configured_device(args.other))\n"},
      {"x.to(args.device)\n", "x.to(accelerator.configured_device())\n"},
      {"x.to(args.device)\n", "x.to(accelerator.configured_device(device=args.device))\n"},
      {"x.to(args.device)\n", "x.to(accelerator.configured_device(*args.device))\n"},
      {"x.to(args.device)\n", "x.to(accelerator.configured_device(args.device, 1))\n"},
      {"x.to(args.device)\n", "x.to(accelerator.configured_device)\n"},
      {"x.to(a or b.c)\n", "x.to(accelerator.configured_device(a or b).c)\n"},
      {"x.to(args.device)\n", "x.to(accelerator.configured_devices(args.device))\n"},
      {"x.to(args.device)\n", "x.to(accelerator.accelerator_device(args.device))\n"},
      {"def f(d: args.device): pass\n", "def f(d: accelerator.configured_device(args.device)): pass\n"},
      {"x = y, z\n", "x = accelerator.configured_device(y), accelerator.configured_device(w)\n"},
  };
  for (const auto& [before, after] : wrong)
    EXPECT_EQ(python_proof(before, after).verdict, Proof::Verdict::different) << after;
}

}  // namespace
}  // namespace accelport::test
