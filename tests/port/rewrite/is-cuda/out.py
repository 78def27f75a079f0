import torch
import accelerator
if accelerator.is_accelerator(x):
    pass
ok = not accelerator.is_accelerator(self.weight) and accelerator.is_accelerator((a + b))
first = accelerator.is_accelerator(xs[0]) or accelerator.is_accelerator(f(x))
deep = accelerator.is_accelerator(x.to(accelerator.accelerator_device()))
if accelerator.is_accelerator((y := g(x))): pass
key = lambda t: accelerator.is_accelerator(t)
