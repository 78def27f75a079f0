import gc
import time

import torch

gc.collect(); torch.cuda.empty_cache(); torch.cuda.ipc_collect()
t0 = time.time(); f(x); torch.cuda.synchronize(); dt = time.time() - t0
