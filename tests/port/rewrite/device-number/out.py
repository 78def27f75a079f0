import torch
import accelerator


def place(model, rank, args, local_rank):
    model = model.to(accelerator.configured_device(rank))
    x = torch.zeros(3, device=accelerator.configured_device(rank))
    y = x.to(accelerator.configured_device(args.local_rank), non_blocking=True)
    z = torch.empty(
        2, device=accelerator.configured_device(local_rank), dtype=torch.float32
    ).to(accelerator.configured_device(0))
    d = torch.device(accelerator.configured_device(local_rank))
    n = torch.ones(3, device=accelerator.configured_device(0))
    e = torch.device("cpu", 0)
    return model, x, y, z, d, e, n
