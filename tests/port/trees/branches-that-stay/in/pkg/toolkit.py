import pynvml
import torch


def memory():
    if torch.xpu.is_available():
        return torch.xpu.memory_allocated()
    elif torch.cuda.is_available():
        pynvml.nvmlInit()
        return torch.cuda.memory_allocated()
    return 0
