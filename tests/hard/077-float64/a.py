import torch

t = torch.arange(n, dtype=torch.float64, device="cuda")
w = torch.fft.rfft(x.double())
