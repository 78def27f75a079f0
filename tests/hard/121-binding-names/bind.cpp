#include <torch/extension.h>

bool cuda_toolkit();
void release_cuda_buffers();

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("cuda_toolkit", &cuda_toolkit);
  m.def("release_cuda_buffers", &release_cuda_buffers);
}
