import torch

from .imports import is_cuda_available, is_npu_available
from . import accelerator


def get_backend():
    if is_cuda_available():
        return accelerator.accelerator_type(), accelerator.device_count(), accelerator.accelerator_module().memory_allocated
    elif is_npu_available():
        return "npu", torch.npu.device_count(), torch.npu.memory_allocated
    return "cpu", 1, lambda: 0
