import torch.distributed as dist

assert backend in ['gloo', 'nccl']
if dist.get_backend() == dist.Backend.NCCL:
    kw["device_ids"] = [local_rank]
