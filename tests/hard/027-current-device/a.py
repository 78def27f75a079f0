import torch

y = torch.empty(3, device=torch.cuda.current_device())
torch.cuda.set_device(args.local_rank)
