import torch
import accelerator
if accelerator.nvidia_capability()[0] >= 8:
    pass
