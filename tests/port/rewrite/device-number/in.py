import torch


def place(model, rank, args, local_rank):
    model = model.to(rank)
    x = torch.zeros(3, device=rank)
    y = x.to(args.local_rank, non_blocking=True)
    z = torch.empty(
        2, device=local_rank, dtype=torch.float32
    ).to(0)
    d = torch.device(local_rank)
    n = torch.ones(3, device=0)
    e = torch.device("cpu", 0)
    return model, x, y, z, d, e, n
