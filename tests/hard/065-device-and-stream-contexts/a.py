import torch

with torch.cuda.device(i):
    s = torch.cuda.Stream()
with torch.cuda.stream(s):
    y = f(x)
x.record_stream(s)
