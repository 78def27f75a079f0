import torch


class Operator:
    def forward(self, x):
        if x.device.type == "npu":
            return self.forward_npu(x)
        elif x.device.type == "cuda":
            return self.forward_cuda(x)
        return self.forward_native(x)
