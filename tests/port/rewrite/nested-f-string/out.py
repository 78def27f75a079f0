import torch
import accelerator
a = f"{x.to(accelerator.accelerator_type())}"
b = f"{x.to((accelerator.accelerator_type() + ':0'))}"
c = f"{x.to(f'{accelerator.accelerator_type()}:{i}')!r:>10}"
d = f"{torch.cuda.device_count()=}"
