import torch
import accelerator
print "on", accelerator.device_count()
x = torch.zeros(3).to(accelerator.accelerator_device())
y = x.to((accelerator.accelerator_type() + ":%d") % i)
