import torch

m = torch.compile(m, mode="reduce-overhead")
torch._inductor.config.triton.cudagraphs = True
