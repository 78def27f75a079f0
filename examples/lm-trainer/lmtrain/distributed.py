"""Process groups: one process per GPU, started by torchrun or srun."""
import datetime
import os
import random
from dataclasses import dataclass

import numpy as np
import torch
import torch.distributed as dist


@dataclass
class Context:
    rank: int
    local_rank: int
    world_size: int
    device: torch.device

    @property
    def is_main(self) -> bool:
        return self.rank == 0

    @property
    def distributed(self) -> bool:
        return self.world_size > 1


def _env_int(default: int, *names: str) -> int:
    for name in names:
        if name in os.environ:
            return int(os.environ[name])
    return default


def pick_device(requested: str = "cuda", local_rank: int = 0) -> torch.device:
    if requested == "cuda" and torch.cuda.is_available():
        count = torch.cuda.device_count()
        if local_rank >= count:
            raise RuntimeError(
                f"local rank {local_rank} has no GPU: {count} visible "
                f"(CUDA_VISIBLE_DEVICES={os.environ.get('CUDA_VISIBLE_DEVICES', 'unset')})"
            )
        torch.cuda.set_device(local_rank)
        return torch.device("cuda:%d" % local_rank)
    if requested == "cuda" and local_rank == 0:
        print("CUDA is not available, training on the CPU", flush=True)
    return torch.device("cpu")


def setup(requested: str = "cuda", backend: str = "nccl") -> Context:
    rank, local_rank, world_size = 0, 0, 1
    if "MASTER_ADDR" in os.environ:  # set by torchrun and by our Slurm script
        rank = _env_int(0, "RANK", "SLURM_PROCID")
        local_rank = _env_int(0, "LOCAL_RANK", "SLURM_LOCALID")
        world_size = _env_int(1, "WORLD_SIZE", "SLURM_NTASKS")
    device = pick_device(requested, local_rank)
    if world_size > 1:
        os.environ.setdefault("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1")
        if backend == "nccl" and (device.type != "cuda" or not dist.is_nccl_available()):
            backend = "gloo"
        dist.init_process_group(
            backend=backend,
            rank=rank,
            world_size=world_size,
            timeout=datetime.timedelta(minutes=10),
        )
    return Context(rank, local_rank, world_size, device)


def cleanup() -> None:
    if dist.is_available() and dist.is_initialized():
        dist.destroy_process_group()


def barrier(context: Context) -> None:
    if not context.distributed:
        return
    if dist.get_backend() == "nccl":
        dist.barrier(device_ids=[context.local_rank])
    else:
        dist.barrier()


def average(value: torch.Tensor, context: Context) -> torch.Tensor:
    """The mean of a value over all ranks."""
    value = value.detach().clone()
    if context.distributed:
        dist.all_reduce(value, op=dist.ReduceOp.SUM)
        value /= context.world_size
    return value


def seed_everything(seed: int, rank: int = 0) -> None:
    random.seed(seed + rank)
    np.random.seed(seed + rank)
    torch.manual_seed(seed + rank)
    torch.cuda.manual_seed_all(seed + rank)


def configure_backends(allow_tf32: bool = True, deterministic: bool = False) -> None:
    torch.backends.cuda.matmul.allow_tf32 = allow_tf32
    torch.backends.cudnn.allow_tf32 = allow_tf32
    torch.backends.cudnn.benchmark = not deterministic
    torch.backends.cudnn.deterministic = deterministic
    if torch.cuda.is_available():
        torch.backends.cuda.enable_flash_sdp(True)
        torch.backends.cuda.enable_mem_efficient_sdp(True)
