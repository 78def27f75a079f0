import torch
pick = lambda d="cuda": torch.device(d)
move = lambda t: t.cuda(non_blocking=True)
ok = [x for x in xs if x.is_cuda]
