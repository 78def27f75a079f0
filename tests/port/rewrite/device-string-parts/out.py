import torch
import accelerator
a = torch.device(f"{accelerator.accelerator_type()}:0")
b = torch.device(f"{accelerator.accelerator_type()}:%d" % i)
c = torch.device(f'{accelerator.accelerator_type()}:{{}}'.format(i))
d = torch.device(f"{accelerator.accelerator_type()}:" + str(i))
e = torch.device(f"{accelerator.accelerator_type()}:{i}")
f = torch.device(f"{accelerator.accelerator_type()}" ":0")
g = torch.device(rf"{accelerator.accelerator_type()}:{i}")
h = torch.device(f"{accelerator.accelerator_type()}:1")
k = torch.device(fr"{accelerator.accelerator_type()}:2")
