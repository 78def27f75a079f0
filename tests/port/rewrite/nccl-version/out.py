import torch
import accelerator
print(accelerator.nccl_version())
if accelerator.is_available() and accelerator.nccl_version() >= (2, 10):
    pass
