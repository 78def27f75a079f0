import os

import torch
from torch import nn

local_rank = int(os.environ["LOCAL_RANK"])
x = torch.zeros(3)
x = x.to(0)
device = torch.device(local_rank)
m = nn.DataParallel(m, device_ids=[0, 1])
