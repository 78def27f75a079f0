#include "ops.h"

namespace visionext {

#ifdef WITH_CUDA
#define RETURN_DISPATCHED(tensor, op, ...)               \
  if ((tensor).is_cuda()) return op##_cuda(__VA_ARGS__); \
  return op##_cpu(__VA_ARGS__)
#else
#define RETURN_DISPATCHED(tensor, op, ...)                              \
  TORCH_CHECK(!(tensor).is_cuda(),                                      \
              #op ": visionext was compiled without CUDA; rebuild it "  \
                  "with FORCE_CUDA=1 and CUDA_HOME set");               \
  return op##_cpu(__VA_ARGS__)
#endif

std::tuple<at::Tensor, at::Tensor> roi_pool_forward(const at::Tensor& input, const at::Tensor& rois,
                                                    double spatial_scale, int64_t pooled_height,
                                                    int64_t pooled_width) {
  TORCH_CHECK(input.dim() == 4, "input must be [N, C, H, W]");
  TORCH_CHECK(rois.dim() == 2 && rois.size(1) == 5, "rois must be [K, 5]");
  TORCH_CHECK(rois.scalar_type() == at::kFloat, "rois must be float");
  TORCH_CHECK(input.device() == rois.device(), "input and rois must be on one device");
  RETURN_DISPATCHED(input, roi_pool_forward, input, rois, spatial_scale, pooled_height, pooled_width);
}

at::Tensor roi_pool_backward(const at::Tensor& grad, const at::Tensor& rois, const at::Tensor& argmax,
                             int64_t batch, int64_t height, int64_t width) {
  RETURN_DISPATCHED(grad, roi_pool_backward, grad, rois, argmax, batch, height, width);
}

at::Tensor gaussian_blur(const at::Tensor& input, const at::Tensor& kernel) {
  TORCH_CHECK(input.dim() == 4, "input must be [N, C, H, W]");
  TORCH_CHECK(kernel.dim() == 1 && kernel.numel() % 2 == 1, "kernel must have an odd length");
  TORCH_CHECK(kernel.numel() / 2 <= kMaxRadius, "kernel is too long");
  TORCH_CHECK(kernel.scalar_type() == input.scalar_type(), "kernel and input must have one type");
  RETURN_DISPATCHED(input, gaussian_blur, input, kernel);
}

at::Tensor masked_mean(const at::Tensor& input, const at::Tensor& mask) {
  TORCH_CHECK(input.dim() == 4 && mask.dim() == 3, "input must be [N, C, H, W], mask [N, H, W]");
  TORCH_CHECK(mask.scalar_type() == at::kFloat, "mask must be float");
  RETURN_DISPATCHED(input, masked_mean, input, mask);
}

}  // namespace visionext
