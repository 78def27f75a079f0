import torch

from .imports import is_cuda_available, is_npu_available


def seed(number):
    if is_npu_available():
        torch.npu.manual_seed(number)
    elif torch.cuda.is_available():
        torch.cuda.manual_seed(number)


def device():
    if is_npu_available():
        return "npu"
    elif is_cuda_available():
        return "cuda"
    elif hasattr(torch, "musa") and torch.musa.is_available():
        return "musa"
    return "cpu"
