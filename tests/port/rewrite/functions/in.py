import torch as th
from torch import cuda
th.cuda.synchronize()
n = cuda.device_count()
cuda.set_device(n - 1)
th.cuda.empty_cache()
where = th.cuda.current_device()
f = th.cuda.is_available
peak = th.cuda.max_memory_allocated() / 2**20
stream = th.cuda.Stream(priority=-1)
with th.cuda.stream(stream), th.cuda.device(0):
    pass
