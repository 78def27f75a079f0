import torch
import accelerator
pick = lambda d=accelerator.accelerator_type(): torch.device(d)
move = lambda t: t.to(accelerator.accelerator_device(), non_blocking=True)
ok = [x for x in xs if accelerator.is_accelerator(x)]
