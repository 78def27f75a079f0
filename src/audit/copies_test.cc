#include "audit/copies.h"

#include <gtest/gtest.h>

namespace accelport {
namespace {

std::string program(int lines, std::string_view first) {
  std::string text(first);
  for (int i = 0; i < lines; ++i) text += "step_" + std::to_string(i) + "()\n";
  return text;
}

std::unordered_map<std::string, std::string> copies_of(const MemoryFiles& files, std::vector<std::string> paths) {
  std::vector<Candidate> candidates;
  for (const std::string& path : paths) candidates.push_back({path, path, 100, false});
  return find_platform_copies(candidates, {"newcard"}, files);
}

TEST(PlatformCopies, AFileThatRepeatsItsNeighbour) {
  MemoryFiles files;
  files.put("train.py", program(30, "device = 'cuda'\n"));
  files.put("train_npu.py", program(30, "device = 'npu'\n"));
  files.put("models/newcard/net.py", program(30, "a()\n"));
  files.put("models/net.py", program(30, "b()\n"));
  const auto copies = copies_of(files, {"models/net.py", "models/newcard/net.py", "train.py", "train_npu.py"});
  EXPECT_EQ(copies.at("train_npu.py"), "train.py");
  EXPECT_EQ(copies.at("models/newcard/net.py"), "models/net.py");
  EXPECT_EQ(copies.size(), 2u);
}

TEST(PlatformCopies, OtherFilesAreNone) {
  MemoryFiles files;
  files.put("train.py", program(30, ""));
  files.put("train_npu.py", "import train\ntrain.main('npu')\n");  // short
  files.put("eval_npu.py", program(30, ""));                       // nothing beside it
  files.put("train_cuda.py", program(30, ""));                     // the platform that is ported from
  EXPECT_TRUE(copies_of(files, {"eval_npu.py", "train.py", "train_cuda.py", "train_npu.py"}).empty());
}

}  // namespace
}  // namespace accelport
