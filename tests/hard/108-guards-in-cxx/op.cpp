#include <torch/extension.h>

#define NEED_CUDA(t) TORCH_CHECK((t).is_cuda(), #t ": expected a CUDA tensor")

at::Tensor op_cuda(at::Tensor t);
at::Tensor op_cpu(at::Tensor t);

at::Tensor op(at::Tensor t) {
  return t.is_cuda() ? op_cuda(t) : op_cpu(t);
}
