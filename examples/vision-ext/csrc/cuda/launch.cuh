#pragma once

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime.h>

#include <algorithm>

namespace visionext {

constexpr int kThreads = 256;
constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;

// Enough blocks to fill the card; the kernels loop over the rest.
inline int blocks_for(int64_t items) {
  const int64_t most = 32 * static_cast<int64_t>(at::cuda::getCurrentDeviceProperties()->multiProcessorCount);
  return static_cast<int>(std::clamp<int64_t>((items + kThreads - 1) / kThreads, 1, most));
}

#define GRID_STRIDE_LOOP(i, n)                                                        \
  for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < (n); \
       i += static_cast<int64_t>(blockDim.x) * gridDim.x)

template <typename T>
__device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
  for (int offset = kWarpSize / 2; offset > 0; offset >>= 1) {
    value += __shfl_down_sync(kFullWarp, value, offset);
  }
  return value;
}

// The sum over a block, valid in thread 0. The block is a whole number of warps.
template <typename T>
__device__ T block_sum(T value) {
  __shared__ T partial[kWarpSize];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  value = warp_sum(value);
  __syncthreads();
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / kWarpSize ? partial[lane] : T(0);
  return warp == 0 ? warp_sum(value) : value;
}

}  // namespace visionext
