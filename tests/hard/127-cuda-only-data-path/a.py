import cupy as cp
import torch

t = torch.as_tensor(cp.asarray(a), device="cuda")
view = arr.__cuda_array_interface__
