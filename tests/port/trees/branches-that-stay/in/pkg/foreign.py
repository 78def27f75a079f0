import torch
from transformers.utils import is_torch_cuda_available, is_torch_npu_available


def device():
    if is_torch_npu_available():
        return torch.device("npu:0")
    elif is_torch_cuda_available():
        return torch.device("cuda:0")
    return torch.device("cpu")
