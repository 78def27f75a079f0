import torch
import accelerator
a = x.to(accelerator.accelerator_device())
b = x.to(accelerator.accelerator_device(0))
c = x.to(accelerator.accelerator_device(i), non_blocking=True)
d = x.to(accelerator.accelerator_device(i), non_blocking=True)
e = x.to(accelerator.accelerator_device(), non_blocking=True)
f = x.to(device=accelerator.accelerator_device(i))
g = (torch.zeros(3)
     .float()
     .to(  # the card
         accelerator.accelerator_device(rank)  # of this process
     )
     .half())
h = [t.to(accelerator.accelerator_device()) for t in xs]
k = y.to(accelerator.accelerator_device(args.gpu if args.gpu else 0))
