import torch

torch.cuda._sleep(100)
torch._C._cuda_clearCublasWorkspaces()
torch.cuda._lazy_init()
