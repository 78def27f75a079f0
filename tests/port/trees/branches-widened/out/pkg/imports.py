import os

import torch
from . import accelerator


def is_cuda_available():
    """Asks without starting the driver."""
    before = os.environ.get("PYTORCH_NVML_BASED_CUDA_CHECK")
    try:
        os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
        available = accelerator.is_available()
    finally:
        os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = before or "0"
    return available


def is_npu_available():
    return hasattr(torch, "npu") and torch.npu.is_available()
