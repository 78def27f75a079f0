from torch.utils.cpp_extension import CUDAExtension

ext = CUDAExtension("x", ["x.cu"], include_dirs=["/opt/cuda-samples/inc"],
                    extra_compile_args={"nvcc": ["-O3", "--use_fast_math", "-gencode=arch=compute_80,code=sm_80"]})
