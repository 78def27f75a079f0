import torch
import accelerator
x = torch.zeros(3, device=accelerator.accelerator_type())
y = x.to(accelerator.accelerator_type())
def f(device=accelerator.accelerator_type()):
    return torch.device(device)
