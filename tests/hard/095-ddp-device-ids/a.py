import torch
from torch.nn.parallel import DistributedDataParallel as DDP

DDP(model, device_ids=[rank])
DDP(model, device_ids=[device])      # a torch.device
