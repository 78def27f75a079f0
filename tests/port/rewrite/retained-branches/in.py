import torch
import torch.distributed as dist
def setup(backend):
    if backend == "nccl":
        dist.init_process_group(backend)
    if torch.version.cuda is not None and torch.cuda.get_device_capability() >= (9, 0):
        torch.cuda.synchronize()
