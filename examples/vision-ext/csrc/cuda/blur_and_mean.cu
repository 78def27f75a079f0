#include <ATen/AccumulateType.h>
#include <ATen/Dispatch.h>

#include "../ops.h"
#include "launch.cuh"

namespace visionext {
namespace {

// One pass of the separable blur: along rows with stride 1, along columns with stride width.
template <typename scalar_t, typename acc_t>
__global__ void blur_kernel(int64_t total, const scalar_t* __restrict__ input, const scalar_t* __restrict__ kernel,
                            int radius, int64_t length, int64_t stride, scalar_t* __restrict__ output) {
  __shared__ acc_t weights[2 * kMaxRadius + 1];
  for (int t = threadIdx.x; t < 2 * radius + 1; t += blockDim.x) {
    weights[t] = static_cast<acc_t>(kernel[t]);
  }
  __syncthreads();
  GRID_STRIDE_LOOP(i, total) {
    const int64_t place = i / stride % length;
    const int first = -static_cast<int>(place < radius ? place : radius);
    const int last = static_cast<int>(length - 1 - place < radius ? length - 1 - place : radius);
    acc_t sum = 0;
    for (int j = first; j <= last; ++j) {
      sum += static_cast<acc_t>(input[i + j * stride]) * weights[j + radius];
    }
    output[i] = static_cast<scalar_t>(sum);
  }
}

// One block per plane.
template <typename scalar_t, typename acc_t>
__global__ void masked_mean_kernel(const scalar_t* __restrict__ input, const float* __restrict__ mask,
                                   int64_t channels, int64_t plane, scalar_t* __restrict__ output) {
  const scalar_t* values = input + blockIdx.x * plane;
  const float* weights = mask + blockIdx.x / channels * plane;
  acc_t sum = 0;
  acc_t count = 0;
  for (int64_t i = threadIdx.x; i < plane; i += blockDim.x) {
    sum += static_cast<acc_t>(values[i]) * static_cast<acc_t>(weights[i]);
    count += static_cast<acc_t>(weights[i]);
  }
  sum = block_sum(sum);
  count = block_sum(count);
  if (threadIdx.x == 0) output[blockIdx.x] = static_cast<scalar_t>(sum / (count > acc_t(1) ? count : acc_t(1)));
}

}  // namespace

at::Tensor gaussian_blur_cuda(const at::Tensor& input, const at::Tensor& kernel) {
  CHECK_CUDA_INPUT(input);
  CHECK_CUDA_INPUT(kernel);
  const at::cuda::CUDAGuard device_guard(input.device());
  cudaStream_t stream = at::cuda::getCurrentCUDAStream(input.get_device()).stream();
  auto rows = at::empty_like(input);
  auto result = at::empty_like(input);
  const int64_t total = input.numel();
  if (total == 0) return result;
  const int radius = static_cast<int>(kernel.numel() / 2);
  const int64_t height = input.size(2), width = input.size(3);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, input.scalar_type(), "gaussian_blur_cuda", [&] {
    using acc_t = at::acc_type<scalar_t, /*is_cuda=*/true>;
    const auto* weights = kernel.const_data_ptr<scalar_t>();
    blur_kernel<scalar_t, acc_t><<<blocks_for(total), kThreads, 0, stream>>>(
        total, input.const_data_ptr<scalar_t>(), weights, radius, width, 1, rows.data_ptr<scalar_t>());
    blur_kernel<scalar_t, acc_t><<<blocks_for(total), kThreads, 0, stream>>>(
        total, rows.const_data_ptr<scalar_t>(), weights, radius, height, width, result.data_ptr<scalar_t>());
  });
  AT_CUDA_CHECK(cudaGetLastError());
  return result;
}

at::Tensor masked_mean_cuda(const at::Tensor& input, const at::Tensor& mask) {
  CHECK_CUDA_INPUT(input);
  CHECK_CUDA_INPUT(mask);
  const c10::cuda::OptionalCUDAGuard device_guard(at::device_of(input));
  auto output = at::empty({input.size(0), input.size(1)}, input.options());
  if (output.numel() == 0) return output;
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, input.scalar_type(), "masked_mean_cuda", [&] {
    using acc_t = at::acc_type<scalar_t, /*is_cuda=*/true>;
    masked_mean_kernel<scalar_t, acc_t><<<output.numel(), kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        input.const_data_ptr<scalar_t>(), mask.const_data_ptr<float>(), input.size(1),
        input.size(2) * input.size(3), output.data_ptr<scalar_t>());
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return output;
}

}  // namespace visionext
