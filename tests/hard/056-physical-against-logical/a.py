import os

import torch

ids = os.environ["CUDA_VISIBLE_DEVICES"].split(",")
torch.cuda.set_device(int(ids[local_rank]))     # physical id used as logical
