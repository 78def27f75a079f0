from options import parse
import torch

opt = parse()
net = torch.nn.Linear(1, 1).to(opt.device)
torch.distributed.init_process_group(backend=opt.dist_backend)
