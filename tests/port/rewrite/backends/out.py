import torch.distributed as dist
import accelerator
dist.init_process_group(accelerator.distributed_backend(), rank=rank)
dist.init_process_group(backend=f"cpu:gloo,{accelerator.accelerator_type()}:{accelerator.distributed_backend()}")
