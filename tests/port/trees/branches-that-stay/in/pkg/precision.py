import torch


def bfloat16():
    cuda = (
        torch.cuda.is_available()
        and torch.cuda.is_bf16_supported()
        and torch.distributed.is_nccl_available()
        and torch.cuda.nccl.version() >= (2, 10)
    )
    return cuda or torch.backends.mps.is_available()
