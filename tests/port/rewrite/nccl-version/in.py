import torch
import torch.cuda.nccl as nccl
print(torch.cuda.nccl.version())
if torch.cuda.is_available() and nccl.version() >= (2, 10):
    pass
