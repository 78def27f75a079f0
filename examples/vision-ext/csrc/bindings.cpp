#include <torch/extension.h>

#include "ops.h"

#ifdef WITH_CUDA
#include <cuda_runtime_api.h>
#endif

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("roi_pool_forward", &visionext::roi_pool_forward, "RoI max pooling (CPU/CUDA)");
  m.def("roi_pool_backward", &visionext::roi_pool_backward, "Gradient of RoI max pooling (CPU/CUDA)");
  m.def("gaussian_blur", &visionext::gaussian_blur, "Separable blur (CPU/CUDA)");
  m.def("masked_mean", &visionext::masked_mean, "Mean under a mask (CPU/CUDA)");
#ifdef WITH_CUDA
  m.attr("WITH_CUDA") = true;
  m.attr("CUDA_VERSION") = CUDART_VERSION;
#else
  m.attr("WITH_CUDA") = false;
#endif
}
