import torch

if not torch.cuda.is_available():
    args.fp16 = False
    args.device = "cpu"
