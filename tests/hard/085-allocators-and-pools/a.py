import torch

alloc = torch.cuda.memory.CUDAPluggableAllocator("./my.so", "my_alloc", "my_free")
pool = torch.cuda.MemPool(alloc.allocator())
