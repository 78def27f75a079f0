import torch

s, e = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
s.record(); f(); e.record(); torch.cuda.synchronize(); ms = s.elapsed_time(e)
