import torch

peak = torch.cuda.max_memory_allocated() / 2**30
torch.cuda.reset_peak_memory_stats()
used = torch.cuda.memory_stats()["allocated_bytes.all.peak"]
