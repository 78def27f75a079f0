#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <tuple>

#define CHECK_CUDA(x) TORCH_CHECK((x).is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CPU(x) TORCH_CHECK((x).device().is_cpu(), #x " must be a CPU tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK((x).is_contiguous(), #x " must be contiguous")
#define CHECK_CUDA_INPUT(x) \
  CHECK_CUDA(x);            \
  CHECK_CONTIGUOUS(x)
#define CHECK_CPU_INPUT(x) \
  CHECK_CPU(x);            \
  CHECK_CONTIGUOUS(x)

namespace visionext {

// Largest half width of a blur kernel.
constexpr int64_t kMaxRadius = 32;

// input [N, C, H, W], rois [K, 5] as (image, x1, y1, x2, y2), in float.
// Returns the pooled values and the position of each maximum in its plane.
std::tuple<at::Tensor, at::Tensor> roi_pool_forward(const at::Tensor& input, const at::Tensor& rois,
                                                    double spatial_scale, int64_t pooled_height, int64_t pooled_width);
at::Tensor roi_pool_backward(const at::Tensor& grad, const at::Tensor& rois, const at::Tensor& argmax, int64_t batch,
                             int64_t height, int64_t width);

// Convolves the rows, then the columns of [N, C, H, W] with one odd kernel; zeros outside.
at::Tensor gaussian_blur(const at::Tensor& input, const at::Tensor& kernel);

// Mean of [N, C, H, W] over the set places of mask [N, H, W] (float); 0 where no place is set.
at::Tensor masked_mean(const at::Tensor& input, const at::Tensor& mask);

std::tuple<at::Tensor, at::Tensor> roi_pool_forward_cpu(const at::Tensor& input, const at::Tensor& rois,
                                                        double spatial_scale, int64_t pooled_height,
                                                        int64_t pooled_width);
at::Tensor roi_pool_backward_cpu(const at::Tensor& grad, const at::Tensor& rois, const at::Tensor& argmax,
                                 int64_t batch, int64_t height, int64_t width);
at::Tensor gaussian_blur_cpu(const at::Tensor& input, const at::Tensor& kernel);
at::Tensor masked_mean_cpu(const at::Tensor& input, const at::Tensor& mask);

#ifdef WITH_CUDA
std::tuple<at::Tensor, at::Tensor> roi_pool_forward_cuda(const at::Tensor& input, const at::Tensor& rois,
                                                         double spatial_scale, int64_t pooled_height,
                                                         int64_t pooled_width);
at::Tensor roi_pool_backward_cuda(const at::Tensor& grad, const at::Tensor& rois, const at::Tensor& argmax,
                                  int64_t batch, int64_t height, int64_t width);
at::Tensor gaussian_blur_cuda(const at::Tensor& input, const at::Tensor& kernel);
at::Tensor masked_mean_cuda(const at::Tensor& input, const at::Tensor& mask);
#endif

}  // namespace visionext
