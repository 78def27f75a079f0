import os
from torch import (
    nn,
    optim,
)
if True:
    import torch
    torch.cuda.synchronize()
