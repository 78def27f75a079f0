import ctypes

import torch

v = torch.cuda.nccl.version()
lib = ctypes.CDLL("libnccl.so.2")
