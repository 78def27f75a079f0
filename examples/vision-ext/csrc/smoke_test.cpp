// Runs the operators once without Python: `ctest` in the CMake build folder.
#include <torch/torch.h>

#include <cstdio>

#include "ops.h"

int main() {
  torch::Device device(torch::kCPU);
#ifdef WITH_CUDA
  if (torch::cuda::is_available()) device = torch::Device(torch::kCUDA, 0);
#endif
  torch::manual_seed(0);
  const auto input = torch::rand({2, 3, 16, 16}).to(device);
  const auto rois = torch::tensor({{0.f, 0.f, 0.f, 16.f, 16.f}, {1.f, 4.f, 4.f, 9.f, 12.f}}).to(device);
  const auto [pooled, argmax] = visionext::roi_pool_forward(input, rois, 1.0, 1, 1);
  const auto whole = input[0].amax({1, 2});
  const auto mean = visionext::masked_mean(input, torch::ones({2, 16, 16}, input.options()));
  const auto identity = visionext::gaussian_blur(input, torch::ones({1}, input.options()));
  const bool good = torch::equal(pooled[0].flatten(), whole) && torch::allclose(mean, input.mean({2, 3})) &&
                    torch::equal(identity, input);
  std::printf("%s on %s\n", good ? "passed" : "FAILED", device.str().c_str());
  return good ? 0 : 1;
}
