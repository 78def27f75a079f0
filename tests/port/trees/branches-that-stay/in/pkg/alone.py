import torch

KINDS = ("xpu", "npu")


def clear():
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
