#include <ATen/cuda/CUDAContext.h>
#define NEED_CUDA(t) TORCH_CHECK((t).is_cuda(), #t ": expected a CUDA tensor")
#if defined(USE_ROCM) || CUDA_VERSION < 11000
#define M 0xffffffffffffffff
#else
#define FULL_MASK 0xffffffff
#endif
namespace cg = cooperative_groups;
using at::cuda::CUDAStream;
template <typename T> __global__ void __launch_bounds__(1024, 1) k(T* p, const int n) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cuda.ca.shared [%0];" :: "r"(n) : "memory");
#endif
  int v = __shfl_down_sync(FULL_MASK, p[0], 16) /* cuda */;
  auto w = cg::tiled_partition<32>(cg::this_thread_block());
}
// a comment on cuda \
goes on cuda
at::Tensor run_cuda(at::Tensor x) {
  const at::cuda::OptionalCUDAGuard g(x.device());
  if (x.options().device().is_cuda() && x.dim() == 2) {
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "run_cuda", [&] {
      k<scalar_t><<<1, 32, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<scalar_t>(), 3);
    });
  } else throw std::runtime_error(R"x(no "cuda")x");
  const char* e = std::getenv("CUDA_HOME");
  return at::empty({2}, x.options().device(torch::kCUDA));
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run_cuda", &run_cuda, "on CUDA"); }
