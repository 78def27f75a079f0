import torch

if torch.version.cuda is None:
    raise RuntimeError("need CUDA")
cu = "".join(torch.version.cuda.split("."))
