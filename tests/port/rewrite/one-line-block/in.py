import torch
if fast: from torch.cuda import amp, Stream; s = Stream()
