import torch
print(torch.cuda.nccl.version())
if torch.cuda.is_available() and torch.cuda.nccl.version() >= (2, 10):
    pass
