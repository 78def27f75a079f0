"""On the platform's machine torch was built without CUDA; here it may not have been."""

from __future__ import annotations

import torch


def hide_origin() -> None:
    """As in a build without CUDA: nothing is available, the first real use says so."""
    if not torch.backends.cuda.is_built():
        return
    for name in ("_cuda_getDeviceCount", "_cuda_init", "_cuda_setDevice", "_cuda_getDevice"):
        if hasattr(torch._C, name):
            delattr(torch._C, name)
    torch._C._has_cuda = False
    torch._C._has_cudnn = False
    torch.version.cuda = None
    torch.cuda._device_count_nvml = lambda: -1
    torch.cuda.device_count = lambda: 0
