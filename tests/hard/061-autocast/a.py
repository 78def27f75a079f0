import torch

with torch.cuda.amp.autocast(enabled=use_amp, dtype=torch.bfloat16):
    y = f(x)
with torch.autocast("cuda", torch.float16):
    y = f(x)
