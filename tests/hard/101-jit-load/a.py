from torch.utils.cpp_extension import load
m = load(name="op_cuda", sources=["op.cpp", "op_cuda.cu"], extra_cuda_cflags=["-O3"])
