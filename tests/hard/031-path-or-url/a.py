import torch

m = torch.load("runs/cuda_baseline/model.pt")
url = "https://example.org/whl/cuda/torch.html"
