import torch

device = "cpu" if args.cpu or not torch.cuda.is_available() else "cuda"
device = "mps" if mps_ok() else ("cuda" if torch.cuda.is_available() else "cpu")
