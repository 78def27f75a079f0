import torch


def f(x, device="cuda"):
    return x.to(device)


def g(x, device=torch.device("cuda", 0)):
    return x.to(device)


def h(x, device=None):
    device = device or "cuda"
    return x.to(device)
