import torch

opt = torch.optim.AdamW(p, lr, fused=(dev.type == "cuda"))
