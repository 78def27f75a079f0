import torch
@torch.jit.script
def f(x: torch.Tensor):
    return x.to("cuda") if x.is_cuda else x
def g(x):
    return x.cuda()
h = torch.jit.script(g)
