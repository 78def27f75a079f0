import os

import torch

from .imports import is_npu_available
from . import accelerator


class State:
    def backend(self, backend=None):
        kind = None
        if int(os.environ.get("LOCAL_RANK", -1)) != -1:
            if accelerator.is_available():
                if backend is None:
                    backend = accelerator.distributed_backend()
                kind = "MULTI_GPU"
            elif is_npu_available():
                backend = "hccl"
                kind = "MULTI_NPU"
        return backend, kind

    def set_device(self):
        device = self.kind.replace("MULTI_", "").lower()
        if device == "xla":
            self.device = self.find_xla_device()
        else:
            if device == "gpu":
                device = accelerator.accelerator_type()
            self.device = torch.device(device, self.index)
        if device == "xpu":
            torch.xpu.set_device(self.device)
        elif device == "npu":
            torch.npu.set_device(self.device)
        elif device == accelerator.accelerator_type():
            accelerator.set_accelerator_device(self.device)
