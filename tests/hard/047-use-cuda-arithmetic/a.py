import torch

use_cuda = torch.cuda.is_available() and not opts.no_cuda
loader_kw["pin_memory"] = use_cuda
