"""Finds the compiled operators: installed, or built on first use with VISIONEXT_JIT=1."""
import functools
import os
import warnings

import torch


@functools.lru_cache(maxsize=None)
def extension():
    """The compiled module, or None."""
    if os.environ.get("VISIONEXT_JIT") == "1":
        from .jit import load_extension

        return load_extension()
    try:
        from . import _C
    except ImportError:
        if torch.cuda.is_available():
            warnings.warn("visionext._C is missing: the CUDA kernels are not used, expect slow training")
        return None
    return _C


def has_cuda_kernels() -> bool:
    module = extension()
    return module is not None and module.WITH_CUDA


def extension_for(tensor: torch.Tensor):
    """The compiled module if it can work on this tensor."""
    module = extension()
    if module is None or (tensor.is_cuda and not module.WITH_CUDA):
        return None
    if tensor.device.type not in ("cpu", "cuda"):
        return None
    if tensor.device.type == "cpu" and tensor.dtype not in (torch.float32, torch.float64):
        return None
    return module
