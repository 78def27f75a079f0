import torch
from torch.cuda.amp import autocast, GradScaler as Scaler  # mixed precision
from torch.cuda import Event

scaler = Scaler(enabled=Event().query())
with autocast():
    pass
