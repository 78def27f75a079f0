import torch

x = torch.zeros(1).to(model.device)
