import torch
if x.is_cuda:
    pass
ok = not self.weight.is_cuda and (a + b).is_cuda
first = xs[0].is_cuda or f(x).is_cuda
deep = x.cuda().is_cuda
if (y := g(x)).is_cuda: pass
key = lambda t: t.is_cuda
