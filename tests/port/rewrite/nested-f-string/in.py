import torch
a = f"{x.to('cuda')}"
b = f"{x.to('cuda:0')}"
c = f"{x.to(f'cuda:{i}')!r:>10}"
d = f"{torch.cuda.device_count()=}"
