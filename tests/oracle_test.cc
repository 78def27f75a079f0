// The Python reader against a full parse: ACCELPORT_ORACLE names the folder, else the interpreter's library is taken.

#include "oracle.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/process.h"

namespace accelport {
namespace {

constexpr std::uint64_t kSample = 12'000'000;  // bytes; all of the folder if it is named

std::string library_folder() {
  ProcessRequest request;
  request.command = {"python3", "-I", "-c", "import sysconfig; print(sysconfig.get_path('stdlib'), end='')"};
  const auto result = real_processes().run(request);
  return result && result->exit_code == 0 ? result->output : std::string();
}

void expect_agreement(const OracleCount& count) {
  for (std::size_t i = 0; i < count.differences.size() && i < 20; ++i) ADD_FAILURE() << count.differences[i];
  EXPECT_EQ(count.out_of_step, 0u);
  EXPECT_GE(count.agreement(), 0.9999) << count.hits << " hits in " << count.files << " files";
}

TEST(Oracle, ReaderAgreesWithAFullParse) {
  const std::string named = environment_variable("ACCELPORT_ORACLE");
  const std::string folder = named.empty() ? library_folder() : named;
  if (folder.empty()) GTEST_SKIP() << "no python3 to take files from";
  const std::vector<std::string> words = named.empty() ? std::vector<std::string>{"self", "name", "value", "path"}
                                                       : std::vector<std::string>{"cuda", "nccl", "nvidia"};
  const OracleCount count = compare_folder(folder, words, named.empty() ? kSample : ~0ull);
  EXPECT_GT(count.files, 0u);
  EXPECT_EQ(count.out_of_step, 0u);
  EXPECT_GE(count.agreement(), 0.9999) << count.hits << " hits in " << count.files << " files";
  if (count.agreement() < 0.9999) expect_agreement(count);
}

TEST(Oracle, SmallPiecesOfEveryStatement) {
  const char* kSources[] = {
      "x = cuda if cuda.y else (cuda, z)\n",
      "def cuda(a, cuda=1, *cuda_b, c: cuda = cuda, **cuda_d) -> cuda: return cuda\n",
      "with (cuda() as a, b as cuda): pass\nfor cuda, (a, cuda) in cuda.z(): del cuda, a\n",
      "try: pass\nexcept cuda.E as cuda: raise cuda from cuda\n",
      "@cuda\n@cuda.x(cuda)\nclass cuda(cuda, metaclass=cuda): cuda: int = cuda\n",
      "x = [cuda for cuda in cuda if cuda]; y = {cuda: cuda for cuda in z}; f(cuda for cuda in z)\n",
      "f(*cuda, **cuda)(cuda)[cuda](cuda=cuda)\n",
      "x = f'{cuda!r:>{cuda}} cuda {cuda.y[\"cuda\"]}' 'cuda' \"cuda\"\n",
      "x = lambda cuda, a=cuda: cuda if cuda else cuda\n",
      "match cuda.x:\n  case 'cuda' | cuda.y if cuda: pass\n",
      "assert cuda, cuda\nreturn cuda, cuda\nglobal cuda\n",
      "x = not cuda and cuda + 'cuda' * -cuda ** 2 in cuda is not cuda < cuda\n",
      "cuda = x.cuda.y = cuda\ncuda += cuda\ncuda[cuda:cuda] = cuda\nif (cuda := cuda): pass\n",
      "import cuda, a.cuda as cuda\nfrom .cuda import (cuda as x, y as cuda)\n",
      "'cuda'\n\"\"\"cuda\ncuda\"\"\"\nx.cuda().cuda[0].cuda\n",
  };
  OracleCount count;
  for (const char* source : kSources) compare_with_tree("piece.py", source, {"cuda"}, count);
  EXPECT_EQ(count.files, std::size(kSources));
  for (const std::string& difference : count.differences) ADD_FAILURE() << difference;
}

}  // namespace
}  // namespace accelport
