import torch


def is_cuda_available():
    return torch.cuda.is_available()


def is_npu_available():
    return hasattr(torch, "npu") and torch.npu.is_available()


HAS_CUDA = is_cuda_available()
