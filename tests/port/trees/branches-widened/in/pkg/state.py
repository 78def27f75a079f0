import os

import torch

from .imports import is_npu_available


class State:
    def backend(self, backend=None):
        kind = None
        if int(os.environ.get("LOCAL_RANK", -1)) != -1:
            if torch.cuda.is_available():
                if backend is None:
                    backend = "nccl"
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
                device = "cuda"
            self.device = torch.device(device, self.index)
        if device == "xpu":
            torch.xpu.set_device(self.device)
        elif device == "npu":
            torch.npu.set_device(self.device)
        elif device == "cuda":
            torch.cuda.set_device(self.device)
