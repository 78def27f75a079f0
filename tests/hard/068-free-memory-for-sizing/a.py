import torch

free, total = torch.cuda.mem_get_info()
n_blocks = int(total * 0.9 - peak) // block_bytes
