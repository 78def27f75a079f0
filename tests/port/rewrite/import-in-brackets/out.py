import os
from torch import (
    nn,
    optim,
)
import accelerator
if True:
    import torch
    accelerator.synchronize()
