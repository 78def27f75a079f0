import torch

assert x.device == torch.device("cuda")
same = torch.device("cuda") == torch.device("cuda:0")   # False
