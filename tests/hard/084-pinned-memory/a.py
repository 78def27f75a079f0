import torch
from torch.utils.data import DataLoader

loader = DataLoader(ds, pin_memory=True, pin_memory_device='cuda')
buf = torch.empty(n, pin_memory=True)
