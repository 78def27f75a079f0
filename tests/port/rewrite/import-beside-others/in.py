from torch import nn, cuda, optim
import torch.cuda
import torch.cuda.amp as amp
def f():
    from torch.cuda.amp import autocast
    with autocast(), amp.autocast():
        cuda.synchronize()
