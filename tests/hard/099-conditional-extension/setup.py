import os
from glob import glob

import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension

macros = []
ext = CppExtension; srcs = glob("csrc/*.cpp")
if torch.cuda.is_available() and CUDA_HOME or os.getenv("FORCE_CUDA") == "1":
    ext = CUDAExtension; srcs += glob("csrc/*.cu")
    macros += [("WITH_CUDA", None)]
setup(name="ops", ext_modules=[ext("ops", srcs, define_macros=macros)], cmdclass={"build_ext": BuildExtension})
