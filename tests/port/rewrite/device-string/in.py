import torch
x = torch.zeros(3, device="cuda")
y = x.to('cuda')
def f(device="cuda"):
    return torch.device(device)
