import torch

t = torch.zeros(n, device="cuda" if args.cuda else "cpu").cuda(args.local_rank) if torch.cuda.is_available() else None
