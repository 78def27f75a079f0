from torch.utils.cpp_extension import load_inline

src = r"""__global__ void k(float* x){ x[threadIdx.x] += 1; }"""
mod = load_inline(name="k", cpp_sources="void run(at::Tensor);", cuda_sources=src, functions=["run"])
