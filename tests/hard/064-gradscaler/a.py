import torch

scaler = torch.cuda.amp.GradScaler(enabled=args.fp16)
scaler = torch.amp.GradScaler("cuda", **kw)
