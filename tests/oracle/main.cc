// accelport-oracle DIR [WORD...]: how far the Python reader agrees with a full parse on the files below DIR.

#include <cstdio>

#include "../oracle.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: accelport-oracle DIR [WORD...]\n", stderr);
    return 64;
  }
  std::vector<std::string> words(argv + 2, argv + argc);
  if (words.empty())
    words = {"cuda", "nccl", "nvidia", "triton", "cudnn", "cupy", "nvml", "nvtx", "flash_attn", "apex"};
  const accelport::OracleCount count = accelport::compare_folder(argv[1], words, ~0ull);
  for (const std::string& difference : count.differences) std::printf("%s\n", difference.c_str());
  std::printf("%llu files, %llu out of step; %llu of %llu hits agree (%.4f %%)\n",
              static_cast<unsigned long long>(count.files), static_cast<unsigned long long>(count.out_of_step),
              static_cast<unsigned long long>(count.agreeing), static_cast<unsigned long long>(count.hits),
              100.0 * count.agreement());
  return count.agreement() >= 0.9999 && count.out_of_step == 0 ? 0 : 1;
}
