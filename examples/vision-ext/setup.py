import os

import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension

SOURCES = ["csrc/bindings.cpp", "csrc/dispatch.cpp", "csrc/cpu_ops.cpp"]
CUDA_SOURCES = ["csrc/cuda/roi_pool.cu", "csrc/cuda/blur_and_mean.cu"]


def wants_cuda():
    """FORCE_CUDA=1 builds for a GPU on a machine without one (containers, CI)."""
    if os.getenv("FORCE_CUDA", "0") == "1":
        if CUDA_HOME is None:
            raise RuntimeError("FORCE_CUDA=1, but no CUDA toolkit was found: set CUDA_HOME")
        return True
    return torch.cuda.is_available() and CUDA_HOME is not None


def get_extension():
    cxx_flags = ["-O3", "-std=c++20"]
    if not wants_cuda():
        return CppExtension("visionext._C", SOURCES, extra_compile_args={"cxx": cxx_flags})

    os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "7.5;8.0;8.6;9.0+PTX")
    nvcc_flags = ["-O3", "-std=c++20", "--expt-relaxed-constexpr", "-lineinfo"]
    nvcc_flags += os.getenv("NVCC_FLAGS", "").split()
    return CUDAExtension(
        "visionext._C",
        SOURCES + CUDA_SOURCES,
        define_macros=[("WITH_CUDA", None)],
        extra_compile_args={"cxx": cxx_flags, "nvcc": nvcc_flags},
    )


setup(
    packages=["visionext"],
    ext_modules=[] if os.getenv("VISIONEXT_NO_EXT", "0") == "1" else [get_extension()],
    cmdclass={"build_ext": BuildExtension},
)
