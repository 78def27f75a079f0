"""Builds the operators at run time, for development."""
from pathlib import Path

import torch
from torch.utils.cpp_extension import CUDA_HOME, load

CSRC = Path(__file__).resolve().parent.parent / "csrc"


def load_extension(verbose: bool = False):
    sources = [CSRC / "bindings.cpp", CSRC / "dispatch.cpp", CSRC / "cpu_ops.cpp"]
    with_cuda = torch.cuda.is_available() and CUDA_HOME is not None
    flags = ["-O2"]
    cuda_flags = None
    if with_cuda:
        sources += sorted((CSRC / "cuda").glob("*.cu"))
        major, minor = torch.cuda.get_device_capability()
        cuda_flags = ["-O2", "-DWITH_CUDA", "--expt-relaxed-constexpr"]
        cuda_flags.append(f"-gencode=arch=compute_{major}{minor},code=sm_{major}{minor}")
        flags.append("-DWITH_CUDA")
    return load(
        name="visionext_jit",
        sources=[str(source) for source in sources],
        extra_cflags=flags,
        extra_cuda_cflags=cuda_flags,
        with_cuda=with_cuda,
        verbose=verbose,
    )
