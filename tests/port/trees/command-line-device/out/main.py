from options import parse
import torch
import accelerator

opt = parse()
net = torch.nn.Linear(1, 1).to(accelerator.configured_device(opt.device))
torch.distributed.init_process_group(backend=accelerator.configured_backend(opt.dist_backend))
