import torch
import torch.distributed as dist
import accelerator
def setup(backend):
    if backend == accelerator.distributed_backend():
        dist.init_process_group(backend)
    if torch.version.cuda is not None and torch.cuda.get_device_capability() >= (9, 0):
        torch.cuda.synchronize()
