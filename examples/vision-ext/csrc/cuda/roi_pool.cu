#include <ATen/Context.h>
#include <ATen/Dispatch.h>
#include <ATen/cuda/Atomic.cuh>

#include "../ops.h"
#include "launch.cuh"

namespace visionext {
namespace {

__device__ __forceinline__ int64_t clamp_cell(float value, int64_t low, int64_t high) {
  const int64_t cell = static_cast<int64_t>(value);
  return cell < low ? low : (cell > high ? high : cell);
}

template <typename scalar_t>
__global__ void roi_pool_forward_kernel(int64_t total, const scalar_t* __restrict__ input,
                                        const float* __restrict__ rois, float scale, int64_t batch, int64_t channels,
                                        int64_t height, int64_t width, int64_t pooled_height, int64_t pooled_width,
                                        scalar_t* __restrict__ output, int64_t* __restrict__ argmax) {
  GRID_STRIDE_LOOP(i, total) {
    const int64_t pw = i % pooled_width;
    const int64_t ph = i / pooled_width % pooled_height;
    const int64_t c = i / pooled_width / pooled_height % channels;
    const float* roi = rois + i / pooled_width / pooled_height / channels * 5;
    const int64_t image = static_cast<int64_t>(roi[0]);
    CUDA_KERNEL_ASSERT(image >= 0 && image < batch);

    const int64_t x1 = clamp_cell(floorf(roi[1] * scale), 0, width - 1);
    const int64_t y1 = clamp_cell(floorf(roi[2] * scale), 0, height - 1);
    const int64_t box_width = clamp_cell(ceilf(roi[3] * scale), x1 + 1, width) - x1;
    const int64_t box_height = clamp_cell(ceilf(roi[4] * scale), y1 + 1, height) - y1;
    const int64_t y_begin = y1 + ph * box_height / pooled_height;
    const int64_t y_end = y1 + ((ph + 1) * box_height + pooled_height - 1) / pooled_height;
    const int64_t x_begin = x1 + pw * box_width / pooled_width;
    const int64_t x_end = x1 + ((pw + 1) * box_width + pooled_width - 1) / pooled_width;

    const scalar_t* plane = input + (image * channels + c) * height * width;
    int64_t best = y_begin * width + x_begin;
    for (int64_t y = y_begin; y < y_end; ++y) {
      for (int64_t x = x_begin; x < x_end; ++x) {
        if (plane[y * width + x] > plane[best]) best = y * width + x;
      }
    }
    output[i] = plane[best];
    argmax[i] = best;
  }
}

template <typename scalar_t>
__global__ void roi_pool_backward_kernel(int64_t total, const scalar_t* __restrict__ grad,
                                         const float* __restrict__ rois, const int64_t* __restrict__ argmax,
                                         int64_t channels, int64_t bins, int64_t plane,
                                         scalar_t* __restrict__ result) {
  GRID_STRIDE_LOOP(i, total) {
    const int64_t c = i / bins % channels;
    const int64_t image = static_cast<int64_t>(rois[i / bins / channels * 5]);
    // Boxes overlap, so several bins may have the same maximum.
    gpuAtomicAdd(result + (image * channels + c) * plane + argmax[i], grad[i]);
  }
}

}  // namespace

std::tuple<at::Tensor, at::Tensor> roi_pool_forward_cuda(const at::Tensor& input, const at::Tensor& rois,
                                                         double spatial_scale, int64_t pooled_height,
                                                         int64_t pooled_width) {
  CHECK_CUDA_INPUT(input);
  CHECK_CUDA_INPUT(rois);
  const at::cuda::CUDAGuard device_guard(input.device());
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  auto output = at::empty({rois.size(0), input.size(1), pooled_height, pooled_width}, input.options());
  auto argmax = at::empty(output.sizes(), input.options().dtype(at::kLong));
  if (output.numel() == 0) return {output, argmax};
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, input.scalar_type(), "roi_pool_forward_cuda", [&] {
        roi_pool_forward_kernel<scalar_t><<<blocks_for(output.numel()), kThreads, 0, stream>>>(
            output.numel(), input.const_data_ptr<scalar_t>(), rois.const_data_ptr<float>(),
            static_cast<float>(spatial_scale), input.size(0), input.size(1), input.size(2), input.size(3),
            pooled_height, pooled_width, output.data_ptr<scalar_t>(), argmax.data_ptr<int64_t>());
      });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return {output, argmax};
}

at::Tensor roi_pool_backward_cuda(const at::Tensor& grad, const at::Tensor& rois, const at::Tensor& argmax,
                                  int64_t batch, int64_t height, int64_t width) {
  CHECK_CUDA_INPUT(grad);
  CHECK_CUDA_INPUT(argmax);
  at::globalContext().alertNotDeterministic("roi_pool_backward_cuda");
  const at::cuda::CUDAGuard device_guard(grad.device());
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  auto result = at::zeros({batch, grad.size(1), height, width}, grad.options());
  if (grad.numel() == 0) return result;
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, grad.scalar_type(), "roi_pool_backward_cuda", [&] {
        roi_pool_backward_kernel<scalar_t><<<blocks_for(grad.numel()), kThreads, 0, stream>>>(
            grad.numel(), grad.const_data_ptr<scalar_t>(), rois.const_data_ptr<float>(),
            argmax.const_data_ptr<int64_t>(), grad.size(1), grad.size(2) * grad.size(3), height * width,
            result.data_ptr<scalar_t>());
      });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

}  // namespace visionext
