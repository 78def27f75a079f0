import torch

g = torch.Generator(device="cuda").manual_seed(0)
pipe(prompt, generator=torch.Generator("cpu"))
