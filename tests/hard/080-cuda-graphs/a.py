import torch

g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g, pool=pool):
    out = model(static_x)
